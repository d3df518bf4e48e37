// What deliberations cost, which models win, fail and agree, and where the time goes.

import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { ApiError, api, loadErrorOf } from '../api/client'
import { useConnection } from '../api/connection'
import type {
  Insight as Figures,
  ModeInsight,
  ModeView,
  ModelInsight,
  Rate,
  StageInsight,
  Times,
  WinRate,
} from '../api/wire'
import { partOf } from '../modes'
import type { ModePart } from '../run/mode_part'
import { stepName } from '../run/stages'
import { dollars, duration, percent, plural } from '../ui/format'
import { Sign, seatClass, shortModel } from '../ui/seats'
import { Badge, Fold, Switch } from '../ui/section'
import { Table } from '../ui/table'
import {
  type Bin,
  MEASURES,
  type Measure,
  barWords,
  binWords,
  binsOf,
  compact,
  dayWords,
  defaultMeasure,
  failureWords,
  notesOf,
  periodWords,
  spendingWords,
} from './insight_words'
import './insight.css'

const PERIODS: [string, string][] = [
  ['7', '7 days'],
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', '1 year'],
]
const USUAL = '30'

/** What is wanted stands in the address: it can be kept, sent, and gone back to. */
function go(filters: URLSearchParams, name: string, value: string) {
  const query = new URLSearchParams(filters)
  if (value) query.set(name, value)
  else query.delete(name)
  location.hash = query.size ? `#/insight?${query}` : '#/insight'
}

async function ask(filters: URLSearchParams): Promise<Figures> {
  const query = { days: USUAL, ...Object.fromEntries(filters) }
  try {
    return await api.insight({ ...query, timezone: Intl.DateTimeFormat().resolvedOptions().timeZone })
  } catch (error) {
    // A browser may know a time zone by a name that the server does not.
    if (error instanceof ApiError && error.details[0]?.path === 'timezone') return api.insight(query)
    throw error
  }
}

export default function Insight({ modes, filters }: { modes: ModeView[]; filters: URLSearchParams }) {
  const [figures, setFigures] = useState<Figures | null>(null)
  const [trouble, setTrouble] = useState('')
  const [busy, setBusy] = useState(true)
  const query = filters.toString()
  const { lost, recoveries } = useConnection()
  useEffect(() => {
    let current = true
    setBusy(true)
    ask(new URLSearchParams(query)).then(
      (found) => {
        if (!current) return
        setFigures(found)
        setTrouble('')
        setBusy(false)
      },
      (error: unknown) => {
        if (!current) return
        setTrouble(loadErrorOf(error))
        setBusy(false)
      },
    )
    return () => {
      current = false
    }
  }, [query, recoveries])
  return (
    <div className="insight" aria-busy={busy}>
      <h1>Insight</h1>
      <Filters modes={modes} filters={filters} figures={figures} />
      {trouble && (
        <p className="notice bad" role="alert">
          {trouble}
        </p>
      )}
      {!figures && (busy || lost) && (
        <p className="hint">{lost ? 'Your figures will appear here.' : 'Loading…'}</p>
      )}
      {figures &&
        (figures.totals.deliberations.total ? (
          <Charts figures={figures} modes={modes} />
        ) : (
          <Nothing filters={filters} days={figures.byDay.length} />
        ))}
    </div>
  )
}

function Filters({
  modes,
  filters,
  figures,
}: {
  modes: ModeView[]
  filters: URLSearchParams
  figures: Figures | null
}) {
  const days = filters.get('days') ?? USUAL
  const only = filters.get('model')
  const chosen = only ? `model ${only}` : (filters.get('simulated') ?? '')
  // Once one model is chosen no other is counted: those that were there before can still be gone to.
  const known = useRef<string[]>([])
  if (figures && !only) known.current = figures.byModel.map((model) => model.model)
  const models = only && !known.current.includes(only) ? [only, ...known.current] : known.current
  const choose = (value: string) => {
    const query = new URLSearchParams(filters)
    query.delete('model')
    query.delete('simulated')
    if (value.startsWith('model ')) go(query, 'model', value.slice('model '.length))
    else go(query, 'simulated', value)
  }
  return (
    <div className="filters">
      <div className="periods" role="group" aria-label="Period">
        {PERIODS.map(([value, name]) => (
          <Switch
            key={value}
            on={days === value}
            set={() => go(filters, 'days', value === USUAL ? '' : value)}
          >
            {name}
          </Switch>
        ))}
      </div>
      <select
        aria-label="Counted mode"
        value={filters.get('mode') ?? ''}
        onChange={(event) => go(filters, 'mode', event.target.value)}
      >
        <option value="">All modes</option>
        {modes
          .filter((mode) => mode.available)
          .map((mode) => (
            <option key={mode.id} value={mode.id}>
              {mode.name}
            </option>
          ))}
      </select>
      <select aria-label="Counted models" value={chosen} onChange={(event) => choose(event.target.value)}>
        <option value="">All models</option>
        <option value="false">Real models only</option>
        <option value="true">Simulated models only</option>
        {models.map((model) => (
          <option key={model} value={`model ${model}`}>
            {model}
          </option>
        ))}
      </select>
    </div>
  )
}

function Nothing({ filters, days }: { filters: URLSearchParams; days: number }) {
  const narrowed = filters.has('mode') || filters.has('model') || filters.has('simulated')
  return (
    <div className="nothing">
      <p className="lead">
        {narrowed
          ? `No matching runs ${periodWords(days).toLowerCase()}.`
          : `No questions ${periodWords(days).toLowerCase()}.`}
      </p>
      {narrowed ? (
        <p>
          <a href="#/insight">Show everything from the last 30 days</a>
        </p>
      ) : (
        <>
          <p>
            <a href="#/">Ask a question</a>, and this page will tell you
          </p>
          <ul>
            <li>what it cost, day by day, model by model and mode by mode;</li>
            <li>how often each model won, failed and agreed with the outcome, and in how many cases;</li>
            <li>how long each stage took, and which models were slow.</li>
          </ul>
          <p className="hint">Insight counts your saved runs. What you delete no longer counts.</p>
        </>
      )}
    </div>
  )
}

function Charts({ figures, modes }: { figures: Figures; modes: ModeView[] }) {
  const modeName = (mode: string) => modes.find((one) => one.id === mode)?.name ?? mode
  return (
    <>
      <p className="lead">
        {periodWords(figures.byDay.length)}, {plural(figures.totals.deliberations.total, 'run')} took{' '}
        {spendingWords(figures)}
      </p>
      {notesOf(figures).map((note) => (
        <p key={note} className="aside">
          {note}
        </p>
      ))}
      <Days figures={figures} />
      <Models figures={figures} modeName={modeName} />
      <Modes figures={figures} modeName={modeName} />
    </>
  )
}

function Model({ model }: { model: ModelInsight }) {
  return (
    <span className="who" title={model.model}>
      <Sign model={model.model} />
      <span className="model">{shortModel(model.model)}</span>
      {model.simulated && <Badge kind="simulated">simulated</Badge>}
    </span>
  )
}

function Chapter({ title, children }: { title: string; children: ReactNode }) {
  const id = useId()
  return (
    <section className="chapter" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  )
}

function Days({ figures }: { figures: Figures }) {
  const [chosen, choose] = useState<Measure | null>(null)
  const measure = chosen ?? defaultMeasure(figures)
  const { of, format: shown } = MEASURES[measure]
  const days = figures.byDay.map((day) => day.day)
  const whole = binsOf(days, new Map(figures.byDay.map((day) => [day.day, of(day)])))
  const parts = figures.byModel.map((model) => ({
    model,
    bins: binsOf(days, new Map(model.byDay.map((day) => [day.day, of(day)]))),
  }))
  const drawn = parts.filter(({ model }) => of(model))
  const without = parts
    .filter(({ model }) => !of(model))
    .map(({ model }) => `${shortModel(model.model)} (${of(model) === null ? 'no price known' : shown(0)})`)
  const most = Math.max(0, ...drawn.flatMap((part) => part.bins.map((bin) => bin.amount ?? 0)))
  const used = figures.byDay.filter((day) => day.deliberations.total)
  return (
    <Chapter title={whole.length < days.length ? 'Week by week' : 'Day by day'}>
      <div className="periods" role="group" aria-label="Measure">
        {(Object.keys(MEASURES) as Measure[]).map((one) => (
          <Switch key={one} on={measure === one} set={() => choose(one)}>
            {MEASURES[one].name}
          </Switch>
        ))}
      </div>
      <Chart
        bins={whole}
        most={Math.max(0, ...whole.map((bin) => bin.amount ?? 0))}
        measure={measure}
        label="All models"
        large
      />
      {parts.length > 1 && drawn.length > 0 && (
        <div className="multiples">
          {drawn.map(({ model, bins }) => (
            <div key={model.model} className={seatClass(null, model.model)}>
              <p>
                <Model model={model} />
                <span className="amount">{shown(of(model)!)}</span>
              </p>
              <Chart bins={bins} most={most} measure={measure} label={shortModel(model.model)} />
            </div>
          ))}
        </div>
      )}
      {drawn.length > 0 && without.length > 0 && <p className="hint">Not shown: {without.join(', ')}.</p>}
      <Fold title="As a table" note={`${plural(used.length, 'day')}, as they are in ${figures.timezone}`}>
        <Table
          label="Day by day"
          head={['Day', 'Runs', 'Calls', 'Failed', 'Tokens', 'Cost', 'Unpriced']}
          rows={used.map((day) => [
            dayWords(day.day),
            day.deliberations.total,
            day.calls,
            day.failed,
            compact(MEASURES.tokens.of(day) ?? 0),
            day.cost === null ? '–' : dollars(day.cost),
            day.unpriced,
          ])}
        />
      </Fold>
    </Chapter>
  )
}

const HEIGHT = 100
const FEW = 10

function Chart({
  bins,
  most,
  measure,
  label,
  large = false,
}: {
  bins: Bin[]
  most: number
  measure: Measure
  label: string
  large?: boolean
}) {
  const { format: shown } = MEASURES[measure]
  const first = bins[0]!
  const last = bins.at(-1)!
  const width = bins.length <= FEW ? 0.5 : 0.76
  return (
    <figure className={large ? 'chart large' : 'chart'}>
      {large && <span className="most">{most > 0 && shown(most)}</span>}
      <svg
        viewBox={`0 0 ${bins.length} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${label}: ${barWords(bins, measure)}`}
      >
        {bins.map((bin, place) => {
          const height = most > 0 ? ((bin.amount ?? 0) / most) * HEIGHT : 0
          return (
            <rect
              key={bin.from}
              className="day"
              x={place + (1 - width) / 2}
              width={width}
              y={HEIGHT - Math.max(height, height > 0 ? 1.5 : 0)}
              height={Math.max(height, height > 0 ? 1.5 : 0)}
            >
              <title>{`${binWords(bin)}: ${bin.amount === null ? 'nothing' : shown(bin.amount)}`}</title>
            </rect>
          )
        })}
      </svg>
      {large && (
        <figcaption>
          <span>{dayWords(first.from, last.to)}</span>
          <span>{dayWords(last.to, first.from)}</span>
        </figcaption>
      )}
    </figure>
  )
}

function Models({ figures, modeName }: { figures: Figures; modeName: (mode: string) => string }) {
  const defined = figures.byMode.filter((mode) => mode.wins || mode.agrees)
  return (
    <Chapter title="Models">
      <div className="models" role="table" aria-label="Models">
        <div className="models-head" role="row">
          {['Model', 'Cost', 'Failed', 'Won', 'Agreed', 'First word', 'Whole reply'].map((name) => (
            <span key={name} role="columnheader">
              {name}
            </span>
          ))}
        </div>
        {figures.byModel.map((model) => (
          <div
            key={model.model}
            className={`models-row ${seatClass(null, model.model)}`}
            role="row"
            data-model={model.model}
          >
            <span role="rowheader">
              <Model model={model} />
              <span className="note">
                {compact(model.calls)} {model.calls === 1 ? 'call' : 'calls'} in{' '}
                {plural(model.deliberations, 'run')}
              </span>
            </span>
            <Cell name="Cost">
              {model.cost === null ? '–' : dollars(model.cost)}
              {model.unpriced > 0 && <span className="note">{model.unpriced} unpriced</span>}
            </Cell>
            <Cell name="Failed">
              <Share rate={model.failure} kind="bad" none="none" note={failureWords(model)} />
            </Cell>
            <Cell name="Won">
              <Share rate={model.wins} kind="won" />
            </Cell>
            <Cell name="Agreed">
              <Share rate={model.agreement} kind="agreed" />
            </Cell>
            <Cell name="First word">
              <Took times={model.firstToken} />
            </Cell>
            <Cell name="Whole reply">
              <Took times={model.response} />
            </Cell>
          </div>
        ))}
      </div>
      <p className="hint">
        Shares are shown from {figures.fewestCases} cases on. The tick under <em>Won</em> marks even odds: how
        often a model would win if every model on its panels were equally good. Times are the median and,
        after it, the 90th percentile.
      </p>
      {defined.length > 0 && (
        <Fold title="What counts as winning and agreeing">
          <dl className="definitions">
            {defined.map((mode) => (
              <div key={mode.mode}>
                <dt>{modeName(mode.mode)}</dt>
                {mode.wins && (
                  <dd>
                    <span className="note">won</span> {mode.wins}
                  </dd>
                )}
                {mode.agrees && (
                  <dd>
                    <span className="note">agreed</span> {mode.agrees}
                  </dd>
                )}
              </div>
            ))}
          </dl>
          <p className="hint">
            Other modes have no winners or verdicts. A retried run counts once, by its retry.
          </p>
        </Fold>
      )}
    </Chapter>
  )
}

const Cell = ({ name, children }: { name: string; children: ReactNode }) => (
  <span role="cell" className="cell">
    <span className="cell-name" aria-hidden="true">
      {name}
    </span>
    <span className="cell-body">{children}</span>
  </span>
)

function Share({
  rate,
  kind,
  none = '–',
  note,
}: {
  rate: Rate | WinRate
  kind: string
  none?: string
  note?: string
}) {
  if (!rate.cases || (kind === 'bad' && !rate.count)) return <>{rate.cases ? none : '–'}</>
  const even = 'evenOdds' in rate ? rate.evenOdds : null
  return (
    <>
      {rate.rate === null ? `${rate.count} of ${rate.cases}` : percent(rate.rate)}
      {rate.rate !== null && (
        <svg
          className={`thin thin-${kind}`}
          viewBox="0 0 100 6"
          preserveAspectRatio="none"
          aria-hidden="true"
        >
          <rect className="bar-ground" y="1.5" width="100" height="3" />
          <rect className="thin-length" y="1.5" width={rate.rate * 100} height="3" />
          {even !== null && <rect className="thin-tick" x={even * 100 - 0.8} width="1.6" height="6" />}
        </svg>
      )}
      {rate.rate !== null && (
        <span className="note">
          {rate.count} of {rate.cases}
          {even !== null && <span className="unseen">, even odds {percent(even)}</span>}
        </span>
      )}
      {note && <span className="note">{note}</span>}
    </>
  )
}

const Took = ({ times }: { times: Times }) =>
  times.medianMs === null || times.p90Ms === null ? (
    <>–</>
  ) : (
    <>
      {duration(times.medianMs)}
      <span className="note">
        <span className="unseen">nine in ten within </span>
        {duration(times.p90Ms)}
      </span>
    </>
  )

function Modes({ figures, modeName }: { figures: Figures; modeName: (mode: string) => string }) {
  return (
    <Chapter title="Modes, and where their time goes">
      <div className="mode-times">
        {figures.byMode.map((mode) => (
          <section key={mode.mode} data-mode={mode.mode} aria-label={modeName(mode.mode)}>
            <h3>{modeName(mode.mode)}</h3>
            <p className="note">{modeWords(mode)}</p>
            {mode.stages.length > 0 && <Stages stages={mode.stages} part={partOf(mode.mode)} />}
          </section>
        ))}
      </div>
      <p className="hint">
        The bar ends at the median, the line at the 90th percentile. Each mode has a scale of its own. Only
        finished runs are timed, without retries.
      </p>
    </Chapter>
  )
}

function modeWords(mode: ModeInsight): string {
  const parts = [plural(mode.deliberations.total, 'run'), plural(mode.calls, 'call')]
  if (mode.cost !== null) parts.push(dollars(mode.cost))
  if (mode.took.medianMs !== null) parts.push(`usually ${duration(mode.took.medianMs)}`)
  return parts.join(' · ')
}

function Stages({ stages, part }: { stages: StageInsight[]; part: ModePart }) {
  const most = Math.max(1, ...stages.map((stage) => stage.p90Ms ?? 0))
  return (
    <ul className="ranges">
      {stages.map((stage) => {
        const median = ((stage.medianMs ?? 0) / most) * 100
        const ninth = ((stage.p90Ms ?? 0) / most) * 100
        return (
          <li key={stage.stage} data-stage={stage.stage}>
            <span className="range-name">{stepName(stage.stage, part)}</span>
            <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
              <rect className="range-line" x={0} y="3.5" width={ninth} height="1" />
              <rect className="range-bar" y="1" width={median} height="6" />
              <rect className="range-end" x={Math.max(0, ninth - 0.7)} y="1.5" width="0.7" height="5" />
            </svg>
            <span className="range-figure">
              {duration(stage.medianMs ?? 0)}
              <span className="note">
                <span className="unseen"> nine in ten within </span>
                {duration(stage.p90Ms ?? 0)}
              </span>
            </span>
          </li>
        )
      })}
    </ul>
  )
}

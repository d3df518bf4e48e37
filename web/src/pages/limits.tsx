// What a person may ask and spend: to be read, and for an administrator to be set.

import { useCallback, useEffect, useState } from 'react'
import { type LimitChange, adminApi } from '../api/accounts'
import { loadErrorOf } from '../api/client'
import type { Allotment, LimitView, PersonEntry } from '../api/wire'
import { amount } from '../ask/limits'
import { Table } from '../ui/table'
import { Field, Form, Sure } from './fields'

type Name = LimitView['name']

const LIMITS: Record<Name, string> = {
  requestsPerMinute: 'Questions per minute',
  requestsPerHour: 'Questions per hour',
  requestsPerDay: 'Questions per day',
  runsAtOnce: 'Runs at once',
  dollarsPerDay: 'Dollars per day',
  dollarsPerMonth: 'Dollars per month',
}

export function LimitTable({ limits }: { limits: LimitView[] }) {
  return (
    <Table
      label="Limits"
      head={['Limit', 'At most', 'Used', 'Left']}
      rows={limits.map((one) => [
        LIMITS[one.name],
        one.limit === null ? 'no limit' : amount(one, one.limit),
        amount(one, one.used),
        one.left === null ? '–' : amount(one, one.left),
      ])}
    />
  )
}

export function PersonLimits({ person }: { person: PersonEntry }) {
  const [allotment, setAllotment] = useState<Allotment | null>(null)
  const [trouble, setTrouble] = useState('')
  const load = useCallback(
    () => adminApi.limits(person.id).then(setAllotment, (error: unknown) => setTrouble(loadErrorOf(error))),
    [person.id],
  )
  useEffect(() => void load(), [load])
  const own = Object.keys(allotment?.own ?? {}) as Name[]
  return (
    <section className="person-limits" aria-labelledby="person-limits">
      <h3 id="person-limits">
        Limits of <span dir="auto">{person.name}</span>
      </h3>
      {trouble && (
        <p className="notice bad" role="alert">
          {trouble}
        </p>
      )}
      {allotment && (
        <>
          <p className="hint">
            {own.length === 0
              ? 'These are the server’s limits, as for everyone.'
              : `Set for ${person.name}: ${own.map((name) => LIMITS[name].toLowerCase()).join(', ')}. The rest are the server’s.`}
          </p>
          <LimitTable limits={allotment.limits} />
          <LimitForm
            key={JSON.stringify(allotment)}
            person={person}
            allotment={allotment}
            onSaved={setAllotment}
          />
        </>
      )}
    </section>
  )
}

function LimitForm({
  person,
  allotment,
  onSaved,
}: {
  person: PersonEntry
  allotment: Allotment
  onSaved: (allotment: Allotment) => void
}) {
  const before = Object.fromEntries(allotment.limits.map((one) => [one.name, one.limit?.toString() ?? '']))
  const [fields, setFields] = useState(before)
  const save = async () => {
    const changed = allotment.limits.filter((one) => fields[one.name] !== before[one.name])
    const change: LimitChange = Object.fromEntries(
      changed.map((one) => [one.name, fields[one.name] ? Number(fields[one.name]) : null]),
    )
    onSaved(await adminApi.setLimits(person.id, change))
  }
  return (
    <>
      <Form label={`Limits of ${person.name}`} submit="Save limits" onSubmit={save}>
        <div className="limit-fields">
          {allotment.limits.map((one) => (
            <Field
              key={one.name}
              label={LIMITS[one.name]}
              type="number"
              value={fields[one.name] ?? ''}
              set={(value) => setFields({ ...fields, [one.name]: value })}
              autoComplete="off"
              required={false}
            />
          ))}
        </div>
        <p className="hint">Leave a field empty for no limit. Limits count from the next question on.</p>
      </Form>
      {Object.keys(allotment.own).length > 0 && (
        <Sure
          label="Use the server’s limits"
          question={`Drop the limits set for ${person.name}`}
          act={() => adminApi.setLimits(person.id, { preset: 'default' }).then(onSaved)}
        />
      )}
    </>
  )
}

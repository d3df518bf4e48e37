// A conversation: its turns, and the way on.

import { useCallback, useEffect, useRef, useState } from 'react'
import { api, loadErrorOf, messageOf } from '../api/client'
import { useConnection } from '../api/connection'
import type { ModeView } from '../api/wire'
import { QuestionBox } from '../ask/question_box'
import { partOf } from '../modes'
import { startRun } from '../run/feed'
import { Turn } from '../run/turn'
import { AnswerTools } from './answer_tools'
import { saveAsPage } from './save'

interface Heading {
  id: string
  title: string
  mode: string
  turns: { question: string; runId: string; status: string }[]
}

async function read(id: string): Promise<Heading> {
  const whole = await api.conversation(id)
  const turns = whole.messages.flatMap((message, place) =>
    message.role === 'assistant' && message.runId
      ? [
          {
            question: whole.messages[place - 1]?.content ?? '',
            runId: message.runId,
            status: message.status,
          },
        ]
      : [],
  )
  return { id, title: whole.title, mode: whole.mode, turns }
}

const hasAnswer = ({ status }: { status: string }) => status === 'complete' || status === 'degraded'

export function Conversation({
  id,
  modes,
  onChange,
}: {
  id: string
  modes: ModeView[]
  onChange: () => void
}) {
  const [heading, setHeading] = useState<Heading | null>(null)
  const [trouble, setTrouble] = useState('')
  const [text, setText] = useState('')
  const [askError, setAskError] = useState('')
  const newest = useRef(0)
  const load = useCallback(async () => {
    // A run may end while the page is still being opened: only the answer to the last request counts.
    const mine = ++newest.current
    try {
      const loaded = await read(id)
      if (mine !== newest.current) return
      setHeading(loaded)
      setTrouble('')
    } catch (error) {
      if (mine === newest.current) setTrouble(loadErrorOf(error))
    }
  }, [id])
  const { recoveries } = useConnection()
  useEffect(() => void load(), [load, recoveries])
  useEffect(() => {
    document.title = heading ? `${heading.title} · moot` : 'moot'
  }, [heading])
  // A further turn begins where it is read; the box it was asked in is gone until it has ended.
  const turns = heading?.turns.length ?? 0
  const turnsBefore = useRef(0)
  useEffect(() => {
    if (turnsBefore.current > 0 && turns > turnsBefore.current)
      document.querySelector<HTMLElement>('.turn:last-of-type')?.focus()
    turnsBefore.current = turns
  }, [turns])
  const ended = useCallback(() => {
    void load()
    onChange()
  }, [load, onChange])

  if (trouble)
    return (
      <p className="notice bad" role="alert">
        {trouble}
      </p>
    )
  if (!heading)
    return (
      <p className="hint waiting" aria-busy="true">
        Opening…
      </p>
    )
  const mode = modes.find((one) => one.id === heading.mode)
  const goesOn =
    mode?.supportsMultiTurn &&
    heading.turns.some(hasAnswer) &&
    heading.turns.every((turn) => turn.status !== 'running')
  const follow = async () => {
    if (!text.trim()) return
    setAskError('')
    try {
      await startRun('/api/council/stream', {
        question: text,
        mode: heading.mode,
        conversationId: id,
        streamTokens: true,
      })
      setText('')
      await load()
      onChange()
    } catch (error) {
      setAskError(messageOf(error))
    }
  }
  /** A follow-up is asked again where it stands, after what was said before; a first question anew. */
  const regenerate = async (question: string, modeConfig: Record<string, unknown>, followUp: boolean) => {
    const again = { question, mode: heading.mode, modeConfig, streamTokens: true }
    const { feed, conversationId } = await startRun(
      '/api/council/stream',
      followUp ? { ...again, conversationId: id } : again,
    )
    if (followUp) await load()
    else location.hash = `#/c/${conversationId}?run=${feed.runId}`
    onChange()
  }
  const retry = async (run: string) => {
    await startRun(`/api/runs/${run}/retry?streamTokens=true`)
    await load()
    onChange()
  }
  return (
    <>
      <header className="heading">
        <p className="note">
          {mode?.name ?? heading.mode}
          {heading.turns.some((turn) => turn.status !== 'running') && (
            <span className="online">
              {' · Export: '}
              <a href={`/api/conversations/${id}/export`} download>
                Markdown
              </a>
              {' · '}
              <a href={`/api/conversations/${id}/export?format=json`} download>
                JSON
              </a>
              {' · '}
              <button type="button" className="as-link" onClick={() => void saveAsPage(heading.title)}>
                Web page
              </button>
            </span>
          )}
        </p>
      </header>
      {heading.turns.map((turn, place) => (
        <Turn
          key={turn.runId}
          question={turn.question}
          runId={turn.runId}
          running={turn.status === 'running'}
          part={partOf(heading.mode)}
          headline={place === 0}
          tools={(answer) => (
            <AnswerTools
              runId={turn.runId}
              question={turn.question}
              mode={heading.mode}
              modes={modes}
              answer={answer}
              onRegenerate={(config) => regenerate(turn.question, config, place > 0)}
            />
          )}
          onEnd={ended}
          onRetry={retry}
        />
      ))}
      {goesOn && (
        <form
          className="follow"
          onSubmit={(event) => {
            event.preventDefault()
            void follow()
          }}
        >
          <QuestionBox text={text} set={setText} ask={() => void follow()} label="Follow-up question" />
          {askError && (
            <p className="notice bad" role="alert">
              {askError}
            </p>
          )}
          <button type="submit" className="primary">
            Ask follow-up
          </button>
        </form>
      )}
    </>
  )
}

// What you may still ask and spend: a line beside the button, where there is a limit, and all of it on your account.

import { useEffect, useState } from 'react'
import { accountApi } from '../api/accounts'
import type { LimitView } from '../api/wire'
import { dollars } from '../ui/format'

const PERIODS: Record<LimitView['name'], string> = {
  requestsPerMinute: 'this minute',
  requestsPerHour: 'this hour',
  requestsPerDay: 'today',
  runsAtOnce: 'at once',
  dollarsPerDay: 'today',
  dollarsPerMonth: 'this month',
}

export const isMoney = (one: LimitView) => one.name.startsWith('dollars')

export const amount = (one: LimitView, number: number) => (isMoney(one) ? dollars(number) : String(number))

/** Your limits; `version` changes when something was asked. */
export function useLimits(version: unknown): LimitView[] {
  const [limits, setLimits] = useState<LimitView[]>([])
  useEffect(() => {
    accountApi.limits().then(
      (allotment) => setLimits(allotment.limits.filter((one) => one.limit !== null)),
      () => undefined, // whoever asks is told of a limit in any case
    )
  }, [version])
  return limits
}

/** What is left, for each thing that is limited the limit that ends first. */
export function LimitLine({ version }: { version: unknown }) {
  const limits = useLimits(version)
  const requests = tightest(limits.filter((one) => one.name.startsWith('requests')))
  const money = tightest(limits.filter(isMoney))
  const parts = [
    ...(requests ? [`${requests.left} of ${requests.limit} questions ${PERIODS[requests.name]}`] : []),
    ...(money ? [`${dollars(money.left!)} of ${dollars(money.limit!)} ${PERIODS[money.name]}`] : []),
  ]
  if (parts.length === 0) return null
  const used = [requests, money].some((one) => one?.left === 0)
  return (
    <span className={used ? 'hint limit-line used' : 'hint limit-line'} role="status">
      Left: {parts.join(' · ')}
    </span>
  )
}

function tightest(limits: LimitView[]): LimitView | undefined {
  return limits.reduce<LimitView | undefined>(
    (least, one) => (least === undefined || one.left! < least.left! ? one : least),
    undefined,
  )
}

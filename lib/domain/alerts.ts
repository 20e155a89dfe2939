/** Something that a rule looks at, as it stands now. `holds` is null where that cannot be known just now. */
export interface Seen {
  /** What it is about: the id of a model or a connection, or nothing for all of them. */
  subject: string
  name: string
  holds: boolean | null
  /** The figures, for people and programs. */
  detail: Record<string, unknown>
}

/** Something that a rule has fired for. */
export interface Firing {
  id: string
  subject: string
  /** When it was first seen to be over; null while it holds. */
  clearSince: Date | null
}

export type AlertStep =
  | { do: 'fire'; seen: Seen }
  | { do: 'clear'; id: string }
  | { do: 'hold'; id: string }
  | { do: 'resolve'; id: string; detail: Record<string, unknown> | null }

export interface AlertTimes {
  now: Date
  /** So long it has to be over before that is told. */
  clearMs: number
  /** So long after an end nothing is told of the same subject. */
  quietMs: number
}

/** What a rule has to do about what it sees. `ended` says when it last ended, by subject. */
export function alertSteps(
  seen: readonly Seen[],
  firing: readonly Firing[],
  ended: ReadonlyMap<string, Date>,
  { now, clearMs, quietMs }: AlertTimes,
): AlertStep[] {
  const open = new Set(firing.map(({ subject }) => subject))
  const bySubject = new Map(seen.map((item) => [item.subject, item]))
  const quiet = (subject: string) => now.getTime() - (ended.get(subject)?.getTime() ?? Number.NEGATIVE_INFINITY) < quietMs
  const fires = seen
    .filter(({ subject, holds }) => holds === true && !open.has(subject) && !quiet(subject))
    .map((item): AlertStep => ({ do: 'fire', seen: item }))
  const others = firing.flatMap(({ id, subject, clearSince }): AlertStep[] => {
    // What is not seen any more is over.
    const found = bySubject.get(subject)
    const holds = found ? found.holds : false
    if (holds === null) return []
    if (holds) return clearSince === null ? [] : [{ do: 'hold', id }]
    if (clearSince === null) return [{ do: 'clear', id }]
    const over = now.getTime() - clearSince.getTime() >= clearMs
    return over ? [{ do: 'resolve', id, detail: found?.detail ?? null }] : []
  })
  return [...fires, ...others]
}

/** The current state of something that a rule watches. `holds` is null if it cannot be known at the moment. */
export interface RuleObservation {
  /** The id of a model or a connection, or empty for all of them. */
  subject: string
  name: string
  holds: boolean | null
  /** The figures, for people and for programs. */
  detail: Record<string, unknown>
}

/** An alert that a rule has fired. */
export interface FiringAlert {
  id: string
  subject: string
  /** When its condition was first seen to have ended; null while it holds. */
  clearSince: Date | null
}

export type AlertStep =
  | { do: 'fire'; seen: RuleObservation }
  | { do: 'clear'; id: string }
  | { do: 'hold'; id: string }
  | { do: 'resolve'; id: string; detail: Record<string, unknown> | null }

export interface AlertTimes {
  now: Date
  /** How long a condition has to be over before the alert is resolved. */
  clearMs: number
  /** How long after an alert's end nothing is reported about the same subject. */
  quietMs: number
}

/** The steps that follow from what a rule sees. `endedAtBySubject` has the time of each subject's last end. */
export function planAlertSteps(
  observations: readonly RuleObservation[],
  firing: readonly FiringAlert[],
  endedAtBySubject: ReadonlyMap<string, Date>,
  { now, clearMs, quietMs }: AlertTimes,
): AlertStep[] {
  const open = new Set(firing.map(({ subject }) => subject))
  const bySubject = new Map(observations.map((item) => [item.subject, item]))
  const quiet = (subject: string) =>
    now.getTime() - (endedAtBySubject.get(subject)?.getTime() ?? Number.NEGATIVE_INFINITY) < quietMs
  const fires = observations
    .filter(({ subject, holds }) => holds === true && !open.has(subject) && !quiet(subject))
    .map((item): AlertStep => ({ do: 'fire', seen: item }))
  const others = firing.flatMap(({ id, subject, clearSince }): AlertStep[] => {
    // What is no longer seen is over.
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

import type { NoticeEvent } from './notices-ports.ts'

type AlertNotice = Extract<NoticeEvent, { kind: 'operator.alert' }>

const text = (value: unknown): string => (value === null || value === undefined ? '?' : String(value))

/** What of the gateway it is about. */
function subjectOf({ rule, scope, name }: AlertNotice): string {
  if (rule === 'errors' && scope === 'all') return 'the gateway'
  return rule === 'errors' && scope === 'model' ? `the model ${name}` : `the connection ${name}`
}

function linesOf(event: AlertNotice): string[] {
  const { rule, about, state } = event
  const resolved = state === 'resolved'
  if (rule === 'breaker') {
    if (resolved) return [`Its deployments are called again.`]
    const models = Array.isArray(about.models) ? about.models.map(text).join(', ') : ''
    return [`${text(about.deployments)} of its deployments failed too often and are left out. Models: ${models}.`]
  }
  if (rule === 'errors') {
    const found =
      about.requests === undefined
        ? []
        : [
            `${text(about.failed)} of ${text(about.requests)} calls failed (${text(about.percent)} %) within ${text(about.minutes)} minutes.`,
          ]
    return [...found, `The rule is set to ${text(about.percentLimit)} %.`]
  }
  const currency = about.currency ? ` ${text(about.currency)}` : ''
  const from = about.from === 'vendor' ? 'as the vendor says' : 'as was stated, less what our calls have cost since'
  return [`${text(about.left)}${currency} is left there, ${from}. The rule is set to ${text(about.below)}.`]
}

const WHAT: Record<AlertNotice['rule'], { fired: string; resolved: string }> = {
  breaker: { fired: 'A breaker is open', resolved: 'The breakers are closed again' },
  errors: { fired: 'Too many calls fail', resolved: 'Calls succeed again' },
  balance: { fired: 'A vendor balance is low', resolved: 'The vendor balance is enough again' },
}

/** The mail that tells an operator of an alert, or of its end. `page` is where alerts are set. */
export function alertMail(event: AlertNotice, page: string): { subject: string; text: string } {
  const subject = `${WHAT[event.rule][event.state]}: ${subjectOf(event)}`
  const lines = [
    `${subject}.`,
    '',
    ...linesOf(event),
    '',
    `Seen at ${event.at.toISOString().replace('T', ' ').slice(0, 19)} UTC.`,
  ]
  return { subject, text: [...lines, `Who is told, and when: ${page}`].join('\n') }
}

import { expect, it } from 'vitest'
import { type AlertRule, alertRuleInput } from '#lib/contracts/operator-alerts'
import { type AlertForm, alertFormOf, newAlertForm, readAlertForm } from './alert-form.ts'

const form = (changes: Partial<AlertForm>): AlertForm => ({ ...newAlertForm('ops@example.com'), ...changes })

it.each([
  [{}, { kind: 'breaker', modelId: null }],
  [{ modelId: ' openai/gpt-4o ' }, { modelId: 'openai/gpt-4o' }],
  [
    { kind: 'errors', scope: 'connection', connectionId: 'con_1', percent: '12.5' },
    { scope: 'connection', scopeId: 'con_1', percent: 12.5, minutes: 5, leastRequests: 20 },
  ],
  [
    { kind: 'errors', scope: 'all', modelId: 'left over' },
    { scope: 'all', scopeId: null },
  ],
  [
    { kind: 'balance', below: '2.50' },
    { connectionId: null, belowNano: '2500000000' },
  ],
  [
    { kind: 'balance', below: ' $1,000 ' },
    { connectionId: null, belowNano: '1000000000000' },
  ],
  [
    { kind: 'errors', leastRequests: '10,000 ', quietMinutes: ' 1,440' },
    { leastRequests: 10_000, quietMinutes: 1440 },
  ],
] as [Partial<AlertForm>, object][])('%j is what the API takes', (changes, values) => {
  const read = readAlertForm(form(changes))
  expect(read.values).toMatchObject(values)
  expect(alertRuleInput.safeParse(read.values).success).toBe(true)
})

it.each([
  [{ emails: ' ' }, { emails: 'told' }],
  [{ quietMinutes: '0' }, { quietMinutes: 'quiet' }],
  [{ kind: 'errors', percent: '101' }, { percent: 'percent' }],
  [{ kind: 'errors', percent: '100' }, { percent: 'percent' }],
  [{ kind: 'errors', percent: '0' }, { percent: 'percent' }],
  [
    { kind: 'errors', minutes: '61', leastRequests: '' },
    { minutes: 'minutes', leastRequests: 'count' },
  ],
  [{ kind: 'balance', below: 'ten' }, { belowNano: 'amount' }],
  [{ emails: 'ops@example.com, nobody' }, { emails: 'emails' }],
  [{ emails: Array.from({ length: 11 }, (_, n) => `ops${n}@example.com`).join() }, { emails: 'emails' }],
  [
    { emails: 'nobody', quietMinutes: 'x', modelId: 'm'.repeat(201) },
    { emails: 'emails', quietMinutes: 'quiet', modelId: 'model' },
  ],
  [
    { kind: 'errors', scope: 'model', modelId: 'm'.repeat(201), percent: '', minutes: '', leastRequests: '', emails: 'nobody' },
    { scopeId: 'model', percent: 'percent', minutes: 'minutes', leastRequests: 'count', emails: 'emails' },
  ],
] as [Partial<AlertForm>, object][])('%j is at fault', (changes, faults) => {
  expect(readAlertForm(form(changes)).faults).toEqual(faults)
})

it('a rule comes back as it was', () => {
  const rule: AlertRule = {
    id: 'alr_1',
    version: 3,
    kind: 'errors',
    scope: 'model',
    scopeId: 'small',
    scopeName: 'small',
    percent: 1.25,
    minutes: 10,
    leastRequests: 7,
    belowNano: null,
    quietMinutes: 60,
    emails: ['a@example.com', 'b@example.com'],
    webhooks: true,
    enabled: false,
    firing: 0,
  }
  expect(readAlertForm(alertFormOf(rule)).values).toEqual({
    kind: 'errors',
    scope: 'model',
    scopeId: 'small',
    percent: 1.25,
    minutes: 10,
    leastRequests: 7,
    emails: ['a@example.com', 'b@example.com'],
    webhooks: true,
    enabled: false,
    quietMinutes: 60,
  })
})

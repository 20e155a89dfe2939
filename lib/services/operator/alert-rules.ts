import type { ChangeResult } from '#lib/contracts/operator'
import type { AlertRule, AlertRuleInput, ChangeAlertRuleInput } from '#lib/contracts/operator-alerts'
import type { AlertRuleValues, AlertRuleWithState, RuleOutcome } from '../alerts/alert-ports.ts'
import type { Ctx } from '../ports.ts'
import { invalidField, ServiceError } from '../service-error.ts'

const NO_THRESHOLDS = { percentBp: null, minutes: null, leastRequests: null, belowNano: null }

/** A rule as it is stored. Errors: `invalid_input` (emails, scopeId). */
function valuesOf(input: AlertRuleInput): AlertRuleValues {
  const { webhooks, quietMinutes, enabled } = input
  const emails = [...new Set(input.emails)]
  if (emails.length === 0 && !webhooks) throw invalidField('emails', 'Choose who is notified: an email address, or the webhooks.')
  const notification = { emails, webhooks, quietMinutes, enabled }
  if (input.kind === 'breaker')
    return {
      ...notification,
      ...NO_THRESHOLDS,
      kind: 'breaker',
      scope: input.modelId === null ? 'all' : 'model',
      scopeId: input.modelId,
    }
  if (input.kind === 'balance')
    return {
      ...notification,
      ...NO_THRESHOLDS,
      kind: 'balance',
      scope: 'connection',
      scopeId: input.connectionId,
      belowNano: BigInt(input.belowNano),
    }
  const { scope, minutes, leastRequests } = input
  if (scope === 'all' && input.scopeId !== null)
    throw invalidField('scopeId', 'A rule for everything cannot name a model or connection.')
  const scopeId = input.scopeId
  return {
    ...notification,
    ...NO_THRESHOLDS,
    kind: 'errors',
    scope,
    scopeId,
    percentBp: Math.round(input.percent * 100),
    minutes,
    leastRequests,
  }
}

const SUBJECT_FIELD: Record<AlertRuleInput['kind'], string> = { breaker: 'modelId', errors: 'scopeId', balance: 'connectionId' }

function assertDone(outcome: RuleOutcome, kind: AlertRuleInput['kind']): void {
  if (outcome === 'no_subject') throw invalidField(SUBJECT_FIELD[kind], 'There is no model or connection with this id.')
  if (outcome === 'missing') throw new ServiceError('not_found', 'There is no such rule.')
  if (outcome === 'stale')
    throw new ServiceError(
      'conflict',
      'Somebody else has changed this rule since you opened it. Reload it, then make your change.',
    )
}

/** A rule as shown on the page. */
export const ruleView = (rule: AlertRuleWithState): AlertRule => {
  const { percentBp, belowNano, ...rest } = rule
  return {
    ...rest,
    percent: percentBp === null ? null : percentBp / 100,
    belowNano: belowNano === null ? null : String(belowNano),
  }
}

/** Adds a rule. It is checked within seconds. Errors: `invalid_input`. */
export async function addAlertRule({ ctx, input }: { ctx: Ctx<'alerts' | 'ids'>; input: AlertRuleInput }): Promise<ChangeResult> {
  const id = ctx.ids.create('alr')
  assertDone(await ctx.alerts.addRule(ctx.user, id, valuesOf(input)), input.kind)
  return { id, version: 1 }
}

/** Replaces a rule's values. Errors: `not_found`, `conflict`, `invalid_input`. */
export async function changeAlertRule({
  ctx,
  input: { id, version, ...rule },
}: {
  ctx: Ctx<'alerts'>
  input: ChangeAlertRuleInput
}): Promise<ChangeResult> {
  assertDone(await ctx.alerts.changeRule(ctx.user, id, version, valuesOf(rule as AlertRuleInput)), rule.kind)
  return { id, version: version + 1 }
}

/** Archives a rule. What it found stays in the list. Errors: `not_found`, `conflict`. */
export async function archiveAlertRule({
  ctx,
  input: { id, version },
}: {
  ctx: Ctx<'alerts'>
  input: { id: string; version: number }
}): Promise<ChangeResult> {
  assertDone(await ctx.alerts.archiveRule(ctx.user, id, version), 'breaker')
  return { id, version: version + 1 }
}

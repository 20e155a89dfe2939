import type { ConsolePorts } from '../ports.ts'
import type { StripeEvent } from './billing-ports.ts'
import type { CardChange } from './card-ports.ts'
import { detachCards } from './clean-up-stripe.ts'

type Ctx = Pick<ConsolePorts, 'cards' | 'stripe'>
type Result = { outcome: 'done' | 'ignored' } | { outcome: 'refused'; why: string }

type CardSavedChange = Extract<CardChange, { kind: 'card_saved' }>

async function saveCard(ctx: Ctx, { accountId, customerId, from }: CardSavedChange, at: Date): Promise<Result> {
  const card = await ctx.stripe.findCard(from)
  // Removed since, or the payment was not made with a card.
  if (card === null) return { outcome: 'ignored' }
  if (card.customerId !== customerId) return { outcome: 'refused', why: `the card ${card.methodId} is another customer's` }
  if ((await ctx.cards.save(accountId, card, at)) === 'no_account')
    return { outcome: 'refused', why: `there is no account ${accountId}` }
  await detachCards({ ctx })
  return { outcome: 'done' }
}

const outcomeOf = (changed: boolean): Result => ({ outcome: changed ? 'done' : 'ignored' })

/** Applies what a verified event says about a card. A repeat changes nothing. Rejects if it could not be applied. */
export async function applyCardChange(ctx: Ctx, event: StripeEvent, change: CardChange): Promise<Result> {
  switch (change.kind) {
    case 'card_saved':
      return saveCard(ctx, change, event.at)
    case 'card_gone':
      return outcomeOf(await ctx.cards.removeGone({ methodId: change.methodId }, event.at))
    case 'customer_gone':
      return outcomeOf(await ctx.cards.removeGone({ customerId: change.customerId }, event.at))
    case 'card_renewed':
      return outcomeOf(await ctx.cards.updateDetails(change.methodId, change.face))
  }
}

import { composeSecondStepEmail } from '../mail/emails.ts'
import type { Ctx } from '../ports.ts'

export type SecondStepEmailNeeds = 'mailer' | 'background' | 'signInSettings'

/** Tells a user that their second step was turned on or off, or that its recovery codes were renewed. */
export const sendSecondStepEmail = (ctx: Ctx<SecondStepEmailNeeds>, change: Parameters<typeof composeSecondStepEmail>[1]): void =>
  ctx.background.defer('the mail about two-step verification', () =>
    ctx.mailer.send(composeSecondStepEmail(ctx.user, change, ctx.signInSettings)),
  )

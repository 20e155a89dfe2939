import { z } from 'zod'
import { count, time } from './common.ts'
import { signUpInput } from './session.ts'

/** The providers that people can sign in with instead of a password. */
export const provider = z.enum(['github', 'google'])
export type Provider = z.infer<typeof provider>

const { name, email, password } = signUpInput.shape
const token = z.string().min(20).max(100)
/** A code as somebody types it: six digits from an app, or a recovery code. */
const typedCode = z.string().trim().min(1).max(64)
/** A password that is set already, under whatever rules applied at that time. */
const currentPassword = z.string().min(1).max(200)

/** POST /api/forgot. The answer is the same whether or not the address has an account. */
export const forgotInput = z.strictObject({ email })

/** POST /api/reset */
export const resetInput = z.strictObject({ token, password })

/** POST /api/verify */
export const verifyInput = z.strictObject({ token })
/** `changed` is true if the address differs from the previous one. */
export const verifyResult = z.object({ email: z.string(), changed: z.boolean() })

/** POST /api/settings/profile */
export const profileInput = z.strictObject({ name })

/** POST /api/settings/email. The password is required if there is one. */
export const emailInput = z.strictObject({ email, password: currentPassword.optional() })

/** POST /api/settings/password. The current password is required if there is one. */
export const passwordInput = z.strictObject({ current: currentPassword.optional(), password })

/** POST /api/settings/second-step: the password is required if there is one. */
export const secondStepInput = z.strictObject({ password: currentPassword.optional() })
/** The secret in base32, and the address that an app reads from a QR code. */
export const secondStepSetup = z.object({ secret: z.string(), uri: z.string() })

/** POST /api/settings/second-step/confirm */
export const codeInput = z.strictObject({ code: typedCode })
/** Shown once. */
export const recoveryCodes = z.object({ codes: z.array(z.string()) })

/** POST /api/settings/second-step/disable and /codes: a code, or the password. */
export const proofInput = z.strictObject({ code: typedCode.optional(), password: currentPassword.optional() })

/** POST /api/settings/identities/remove */
export const identityInput = z.strictObject({ provider })

/** GET /api/settings/security: how the reader signs in. */
export const security = z.object({
  email: z.string(),
  emailVerified: z.boolean(),
  /** An address that a link was sent to, and until when the link changes to it. */
  newEmail: z.object({ email: z.string(), expiresAt: time }).nullable(),
  hasPassword: z.boolean(),
  secondStep: z.object({ since: time, recoveryLeft: count }).nullable(),
  identities: z.array(z.object({ provider, since: time })),
  /** The providers that this gateway is set up for. */
  providers: z.array(provider),
  /** Whether mail is sent, or only written to the log. */
  mail: z.boolean(),
})
export type Security = z.infer<typeof security>

/** GET /api/settings/sessions: the reader's sessions, the most recently used one first. */
export const sessionList = z.object({
  rows: z.array(
    z.object({
      id: z.string(),
      current: z.boolean(),
      createdAt: time,
      /** Precise to the minute. */
      lastSeenAt: time,
      address: z.string(),
      /** In words, such as `Firefox` and `Linux`; empty if unknown. */
      browser: z.string(),
      system: z.string(),
    }),
  ),
})
export type SessionRow = z.infer<typeof sessionList>['rows'][number]

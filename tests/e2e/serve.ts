import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startOAuth } from '../fakes/oauth.ts'
import { startStripe } from '../fakes/stripe.ts'
import { STRIPE_KEY, STRIPE_WEBHOOK_SECRET } from '../fakes/stripe-events.ts'

// A first start on an empty data folder, which is removed when the gateway has stopped.
const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-e2e-'))
process.env.DATA_DIR = dataDir
// Where the tests find the sign-in data of the first start.
writeFileSync(join(tmpdir(), `tollgate-e2e-${process.env.PORT}`), dataDir)
process.on('exit', () => rmSync(dataDir, { recursive: true, force: true }))

// Its payments go to a stand-in for Stripe, which delivers signed events to it.
const stripe = await startStripe()
stripe.webhook = `${process.env.PUBLIC_URL}/api/stripe/webhook`
Object.assign(process.env, { STRIPE_SECRET_KEY: STRIPE_KEY, STRIPE_WEBHOOK_SECRET, STRIPE_API_BASE: stripe.url })

// A user whom its stand-in for GitHub knows.
const oauth = await startOAuth()
oauth.github.emails = [{ email: 'octo@example.com', primary: true, verified: true }]
Object.assign(process.env, oauth.env)
await import('../../server.ts')

// The command that resets two-step verification, called as from a shell.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runCommand } from '../support/command.ts'
import { type ConsoleWorld, openConsoleWorld } from './console-world.ts'
import { enableSecondStep, markEmailVerified } from './sign-in-world.ts'

let world: ConsoleWorld
beforeAll(async () => {
  world = await openConsoleWorld()
})
afterAll(() => world.close())

const reset = (email: string, env: Record<string, string> = {}) =>
  runCommand('reset-two-step', [email], { DATABASE_URL: world.url, SECRET_KEY: '07'.repeat(32), SMTP_URL: '', ...env })

it('resets two-step verification of anybody, an only owner included, once, and in the log', async () => {
  const owner = await world.newUser('owner')
  await markEmailVerified(world, owner)
  await enableSecondStep(world, owner)
  expect(await reset(owner.email.toUpperCase())).toEqual({
    code: 0,
    out: `Two-step verification of ${owner.email.toUpperCase()} is off, and their sessions were ended.\n`,
    errors: 'No email was sent about it, because SMTP_URL is not set.\n',
  })
  expect(await world.console.ports.secondSteps.find(owner.userId)).toBeNull()
  const { rows } = await world.pool.query('select verb, actor, after from audit_log where target_id = $1', [owner.accountId])
  expect(rows).toEqual([
    {
      verb: 'person.reset_second_step',
      actor: 'command line',
      after: { person: owner.email, person_id: owner.userId, sessions: 1 },
    },
  ])
  expect(await reset(owner.email)).toEqual({ code: 1, out: '', errors: 'Two-step verification is off.\n' })
})

it('names an address that nobody has', async () => {
  const answer = { code: 1, out: '', errors: 'Nobody has the email address nobody@example.com.\n' }
  expect(await reset('nobody@example.com')).toEqual(answer)
})

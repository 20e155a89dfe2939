import { expect, test } from 'vitest'
import { randomSeed } from '../support/random.ts'
import { runChaos } from './run.ts'

const seed = process.env.CHAOS_SEED ?? randomSeed()
const FAULTS = 40

test(`${FAULTS} faults at random: every answer is charged once, nothing stays held (npm run chaos -- --faults ${FAULTS} --seed ${seed})`, async () => {
  const { faults, outcomes, problems } = await runChaos({ seed, faults: FAULTS, log: () => undefined })
  // As a text, because the report of a run shows no more of a list than its length.
  expect(problems.join('\n')).toBe('')
  expect(faults.size).toBeGreaterThan(5)
  expect(outcomes.get('200 whole')).toBeGreaterThan(200)
})

import { expect, test } from 'vitest'
import { freshSeed } from '../support/random.ts'
import { runChaos } from './run.ts'

const seed = process.env.CHAOS_SEED ?? freshSeed()
const FAULTS = 40

test(`${FAULTS} faults at random: every answer is charged once, nothing stays held (npm run chaos -- --faults ${FAULTS} --seed ${seed})`, async () => {
  const { faults, outcomes, wrong } = await runChaos({ seed, faults: FAULTS, log: () => undefined })
  expect(wrong).toEqual([])
  expect(faults.size).toBeGreaterThan(5)
  expect(outcomes.get('200 whole')).toBeGreaterThan(200)
})

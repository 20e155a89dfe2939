import { expect, it } from 'vitest'
import type { AttemptResult, Outcome } from './settlement.ts'
import { type Fault, faultOf, isFailure } from './traffic.ts'

it.each<[Outcome, number, Fault | null, AttemptResult?]>([
  ['finished', 200, null],
  ['client_gone', 499, null],
  ['cancelled', 499, null],
  ['refused', 400, 'client'],
  ['refused', 404, 'client'],
  ['refused', 429, 'client'],
  ['refused', 503, 'house'],
  ['refused', 500, 'house'],
  ['undelivered', 503, 'house'],
  ['vendor_failed', 500, 'vendor'],
  ['vendor_failed', 503, 'vendor'],
  ['vendor_failed', 429, 'vendor'],
  ['vendor_failed', 400, 'client'],
  ['cut', 500, 'vendor', 'broken'],
  ['cut', 503, 'vendor', 'timed_out'],
  ['cut', 503, 'house', 'left'],
  ['cut', 503, 'house', 'answered'],
  ['timed_out', 200, 'vendor'],
])('%s with %d is the fault of %s', (outcome, status, fault, call) => {
  expect(faultOf(outcome, status, call ?? null)).toBe(fault)
})

it.each<[AttemptResult, boolean]>([
  ['answered', false],
  ['refused', false],
  ['limited', false],
  ['left', false],
  ['failed', true],
  ['unreachable', true],
  ['timed_out', true],
  ['broken', true],
  ['misconfigured', true],
])('an attempt that ended as %s is a failure of its deployment: %s', (result, failed) => {
  expect(isFailure(result)).toBe(failed)
})

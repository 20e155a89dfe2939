import { expect, it } from 'vitest'
import { Refusal } from '../domain/errors.ts'
import { VendorFailure } from '../vendors/vendor.ts'
import { StreamBrokenError } from '../wire/answer.ts'
import type { Exchange } from './exchange.ts'
import type { GatewayPorts } from './ports.ts'
import { refuseBroken, refuseOwnFailure } from './refuse-broken.ts'

const logged: unknown[] = []
const ports = {
  log: { error: (...line: unknown[]) => logged.push(line) },
  isTransient: (error: unknown) => (error as { code?: string }).code === '57P01',
} as unknown as GatewayPorts
const exchange = () => ({ received: { id: 'req_1' } }) as unknown as Exchange

const broken = (error: unknown) => {
  logged.length = 0
  const { condition, detail, message } = refuseBroken(error, exchange(), ports)
  return { condition, detail, message, logged: logged.length }
}
const coded = (code: string) => Object.assign(new Error('at 10.0.0.1'), { code })

it('what a vendor does to an answer is its fault, told by its code alone, and nothing for the log of errors', () => {
  const ours = {
    condition: 'vendor_failed',
    message: "The model's vendor ended the answer early. Try again in a moment.",
    logged: 0,
  }
  expect(broken(coded('ECONNRESET'))).toEqual({ ...ours, detail: 'ECONNRESET' })
  expect(broken(new DOMException('aborted', 'AbortError'))).toEqual({ ...ours, detail: 'AbortError' })
  expect(broken(new TypeError('terminated', { cause: coded('UND_ERR_SOCKET') }))).toEqual({ ...ours, detail: 'TypeError' })
  expect(broken(new VendorFailure('cut', 'x'))).toEqual({ ...ours, detail: 'cut: x' })
  expect(broken(new StreamBrokenError('The model sent nonsense.', 'y'))).toMatchObject({ detail: 'y', logged: 0 })
  expect(broken(new Refusal('unavailable', 'Full.'))).toMatchObject({ condition: 'unavailable', message: 'Full.', logged: 0 })
})

it('what our own code stumbles over is logged', () => {
  expect(broken(new TypeError('undefined is not a function'))).toMatchObject({ condition: 'vendor_failed', logged: 1 })
  expect(broken(undefined)).toMatchObject({ condition: 'vendor_failed' })
})

it('what fails after the end of an answer is the gateway’s own, and says what is charged', () => {
  const own = (error: unknown, charged: boolean) => refuseOwnFailure(error, charged, exchange(), ports)
  for (const error of [new Error('42P01'), coded('57P01')])
    expect(own(error, true)).toMatchObject({ message: expect.stringContaining('The answer is charged') })
  expect(own(new Error('bad'), false)).toMatchObject({ message: expect.stringContaining('Nothing was charged') })
  expect(own(coded('57P01'), false)).toMatchObject({ condition: 'unavailable', message: expect.stringContaining('Try again') })
  expect(own(new VendorFailure('cut', 'x'), true)).toMatchObject({ condition: 'vendor_failed' })
})

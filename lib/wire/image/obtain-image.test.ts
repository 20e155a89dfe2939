import { expect, test } from 'vitest'
import type { FinishPorts } from '../answer.ts'
import { obtainImage } from './obtain-image.ts'

const ports = { keepHistory: false, vendorOrigin: null } as unknown as FinishPorts
const BYTES = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(100, 0xfb)])
const BASE64 = BYTES.toString('base64')

test.each([
  ['with line ends', BASE64.replace(/.{76}/g, '$&\r\n')],
  ['in the letters of addresses', BYTES.toString('base64url')],
  ['with what is no base64', `${BASE64.slice(0, 80)}<script>"\\${BASE64.slice(80)}`.replace('script', '!')],
  ['as it should be', BASE64],
])('base64 %s leaves as base64', async (_, given) => {
  const { image } = await obtainImage({ b64_json: given }, 'b64_json', ports)
  expect(image).toEqual({ b64_json: BASE64 })
})

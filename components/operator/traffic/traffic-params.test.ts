import { expect, it } from 'vitest'
import { narrowParamChanges, readTrafficParams, trafficPath } from './traffic-params.ts'

const read = (query: string) => readTrafficParams(new URLSearchParams(query))

it('reads what it knows, and takes the usual for what it does not', () => {
  expect(read('range=7d&by=deployment&measure=first&sort=margin&p=99&live=1&model=a/b')).toEqual({
    range: '7d',
    by: 'deployment',
    measure: 'first',
    sort: 'margin',
    p: '99',
    live: true,
    model: 'a/b',
    connection: null,
    deployment: null,
  })
  expect(read('range=9y&by=account&measure=x&sort=&p=100&model=')).toEqual(read(''))
})

it('asks for what the address says', () => {
  expect(trafficPath(read('model=a/b&range=15m&live=1'))).toBe(
    '/api/operator/traffic?range=15m&by=model&measure=requests&sort=volume&p=95&model=a%2Fb',
  )
})

it('goes from models and connections to what they have', () => {
  expect(narrowParamChanges(read(''), 'model', 'm')).toEqual({ model: 'm', by: 'deployment' })
  expect(narrowParamChanges(read(''), 'connection', 'con_1')).toEqual({ connection: 'con_1', by: null })
  expect(narrowParamChanges(read('connection=con_1'), 'model', 'm')).toEqual({ model: 'm', by: 'deployment' })
  expect(narrowParamChanges(read(''), 'deployment', 'dep_1')).toEqual({ deployment: 'dep_1', by: 'deployment' })
})

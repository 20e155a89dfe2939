import { describe, expect, it } from 'vitest'
import { describeApi } from '#lib/wire/openapi'
import { contents } from '../../../components/docs/content/content.ts'
import { exampleOf } from '../../../components/docs/reference/example.ts'
import { type Operation, operationsOf } from '../../../components/docs/reference/operations.ts'
import type { Field } from '../../../components/docs/reference/schema-walker.ts'
import { translateOperation } from '../../../components/docs/reference/translate.ts'
import { API } from '../../../lib/wire/api.ts'

const operations = operationsOf(describeApi('https://gate.example'))
const words = { model: 'a/b', greeting: 'Hi', voice: 'alloy' }
const every = (fields: readonly Field[]): Field[] => fields.flatMap((field) => [field, ...every(field.children)])

describe('the reference, drawn from the API itself', () => {
  it('has a page for each endpoint', () => {
    expect(operations.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(
      API.map(({ path, endpoint }) => `${endpoint.method} ${path}`).sort(),
    )
    expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length)
  })

  it.each(operations.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))(
    'tells of %s',
    (_name, operation) => {
      expect(operation.summary).not.toBe('')
      expect(operation.answers.length).toBeGreaterThan(0)
      expect(operation.errors.length).toBeGreaterThan(3)
      for (const { codes } of operation.errors) expect(codes.length).toBeGreaterThan(0)
      const example = exampleOf(operation, 'https://gate.example', words)
      // With a body, curl sends POST on its own. Without one, it sends GET.
      expect(example.includes(`-X ${operation.method}`)).toBe(operation.method !== 'GET' && operation.body === null)
      if (operation.body) expect(operation.body.fields.some(({ name }) => name === 'model')).toBe(true)
      const fields = every([
        ...operation.parameters,
        ...(operation.body?.fields ?? []),
        ...operation.answers.flatMap((answer) => answer.fields),
      ])
      for (const field of fields) {
        expect(field.name, JSON.stringify(field)).not.toBe('')
        expect(field.type, field.name).not.toBe('')
        expect(field.type, field.name).not.toContain('undefined')
      }
    },
  )

  it.each(API.flatMap(({ path, endpoint }) => ('body' in endpoint && endpoint.body.kind === 'json' ? [[path, endpoint]] : [])))(
    'has an example that %s takes as it stands',
    (path, endpoint) => {
      const operation = operations.find((each) => each.path === path && each.method === 'POST')
      const example = operation && exampleOf(operation, 'https://gate.example', words)
      const [, body = ''] = /-d '(.*)'/.exec(example ?? '') ?? []
      expect(() => endpoint.parse(JSON.parse(body))).not.toThrow()
    },
  )

  it('writes sound into a file, and names a voice', () => {
    const speech = operations.find(({ path }) => path === '/v1/audio/speech')
    const example = speech && exampleOf(speech, 'https://gate.example', words)
    expect(example).toContain('"voice":"alloy"')
    expect(example).toMatch(/ -o 'speech\.mp3'$/)
  })

  it('shows the fields of a chat as they are checked', () => {
    const chat = operations.find(({ path, method }) => path === '/v1/chat/completions' && method === 'POST')
    const field = (name: string) => chat?.body?.fields.find((each) => each.name === name)
    expect(field('model')).toMatchObject({ required: true, type: 'string' })
    expect(field('temperature')?.constraints).toEqual(
      expect.arrayContaining([
        { name: 'minimum', value: '0' },
        { name: 'maximum', value: '2' },
      ]),
    )
    expect(field('messages')?.children.map(({ name }) => name)).toContain('role: "user"')
    const example = chat && exampleOf(chat, 'https://gate.example', words)
    expect(example).toContain('curl https://gate.example/v1/chat/completions')
    expect(example).toContain(`'{"model":"a/b","messages":[{"role":"user","content":"Hi"}]}'`)
  })
})

describe('the reference in Chinese', () => {
  const { reference } = contents.zh
  const fieldsOf = ({ parameters, body, answers }: Operation): Field[] =>
    every([...parameters, ...(body?.fields ?? []), ...answers.flatMap(({ fields }) => fields)])
  const textsOf = (operation: Operation): string[] =>
    [operation.summary, operation.description, ...fieldsOf(operation).map(({ description }) => description)].filter(
      (text) => text !== null,
    )
  const texts = new Set(operations.flatMap(textsOf))

  it('has every text, and no other', () => {
    const missing = [...texts].filter((text) => !Object.hasOwn(reference, text))
    const stale = Object.keys(reference).filter((text) => !texts.has(text))
    expect({ missing, stale }, 'in components/docs/content/zh/reference').toEqual({ missing: [], stale: [] })
  })

  it('has the code and the links of each text', () => {
    const marks = (text: string): string[] => [...text.matchAll(/`[^`]+`|\]\(\/[^)]*\)/g)].map(([mark]) => mark).sort()
    for (const [english, chinese] of Object.entries(reference)) expect(marks(chinese), english).toEqual(marks(english))
  })

  it('shows no other text, at any depth', () => {
    for (const operation of operations) {
      const translated = translateOperation(operation, reference)
      expect(textsOf(translated)).toEqual(textsOf(operation).map((text) => reference[text]))
      expect(textsOf(translated).filter((text) => !/\p{Script=Han}/u.test(text))).toEqual([])
      expect(translateOperation(operation, contents.en.reference)).toEqual(operation)
    }
  })
})

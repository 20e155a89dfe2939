import { describe, expect, it } from 'vitest'
import type { ModelList } from '#lib/contracts/catalog'
import { selectModel } from './select-model.ts'

const model = (id: string, modality = 'chat'): ModelList['rows'][number] => ({
  ...{ id, ownedBy: 'house', modality, contextWindow: 1, maxOutput: 1, searches: false, capabilities: [], rates: {} },
  facts: { sizes: [], qualities: [], voices: [], formats: [], durations: [], dimensions: null, images: null },
  ...{ createdAt: '2026-01-01T00:00:00.000Z', priceFrom: '2026-01-01T00:00:00.000Z' },
})
const group = (name: string, models: string[], isDefault = false, examples = {}): ModelList['groups'][number] => ({
  ...{ id: `grp_${name}`, name, description: '', multiplierBp: 10_000, isDefault, models, examples },
})
const list: ModelList = {
  rows: [model('a'), model('b'), model('draws', 'image'), model('rare')],
  groups: [group('main', ['a', 'b', 'draws'], true), group('vip', ['rare'])],
}
const chosen = (address: string, mode: 'chat' | 'images' = 'chat', from = list) => {
  const { choice, unavailable } = selectModel(from, mode, new URLSearchParams(address))
  return { is: [choice?.group.name, choice?.model.id, choice?.other?.id], gone: unavailable }
}

describe('choose', () => {
  it('takes what the address names', () => {
    expect(chosen('group=vip&model=rare')).toEqual({ is: ['vip', 'rare', undefined], gone: [] })
    expect(chosen('model=b&compare=a')).toEqual({ is: ['main', 'b', 'a'], gone: [] })
    expect(chosen('')).toEqual({ is: ['main', 'a', undefined], gone: [] })
  })
  it('takes what the group shows in examples where the address names nothing, and never a model of another group', () => {
    const withExamples = (examples: Record<string, string>) => ({ ...list, groups: [group('main', ['a', 'b'], true, examples)] })
    expect(chosen('', 'chat', withExamples({ chat: 'b' })).is).toEqual(['main', 'b', undefined])
    expect(chosen('model=a', 'chat', withExamples({ chat: 'b' })).is).toEqual(['main', 'a', undefined])
    expect(chosen('', 'chat', withExamples({ chat: 'rare' })).is).toEqual(['main', 'a', undefined])
  })
  it('tells of a group that is not there, and of a model that went with it', () => {
    const without = { ...list, groups: list.groups.slice(0, 1) }
    expect(chosen('group=vip&model=rare', 'chat', without)).toEqual({
      is: ['main', 'a', undefined],
      gone: [
        { what: 'group', name: 'vip', instead: 'main' },
        { what: 'model', name: 'rare', instead: 'a' },
      ],
    })
  })
  it('tells of models that cannot do it, where one can', () => {
    expect(chosen('model=draws&compare=none').gone).toEqual([
      { what: 'model', name: 'draws', instead: 'a' },
      { what: 'compare', name: 'none', instead: null },
    ])
    expect(chosen('group=vip&model=rare', 'images')).toEqual({ is: [undefined, undefined, undefined], gone: [] })
  })
})

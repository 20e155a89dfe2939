import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { modelList } from '#lib/contracts/catalog'
import { listModels } from '#lib/services/list-models'
import type { SignedInUser } from '#lib/services/ports'
import { type ConsoleWorld, openConsoleWorld } from './console-world.ts'

let world: ConsoleWorld
beforeAll(async () => {
  world = await openConsoleWorld()
  await world.pool.query(`
    insert into model (id, owned_by, modality, context_window, max_output, facts) values
      ('draws', 'house', 'image', 1024, 512, '{"sizes": ["512x512"], "images": 4}'), ('unsold', 'house', 'chat', 1024, 512, '{}'),
      ('unrun', 'house', 'chat', 1024, 512, '{}'), ('paused', 'house', 'chat', 1024, 512, '{}'), ('closed', 'house', 'chat', 1024, 512, '{}');
    insert into group_model (group_id, model_id) select 'grp_main', unnest(array['draws', 'unrun', 'paused', 'closed']);
    insert into connection (id, name, kind, archived_at) values ('con_gone', 'gone', 'sandbox', now());
    insert into deployment (id, model_id, connection_id, upstream_model, enabled, archived_at) values
      ('dep_draws', 'draws', 'con_box', 'draws', true, null), ('dep_unsold', 'unsold', 'con_box', 'unsold', true, null),
      ('dep_paused', 'paused', 'con_box', 'paused', false, null), ('dep_past', 'paused', 'con_box', 'past', true, now()),
      ('dep_closed', 'closed', 'con_gone', 'closed', true, null);
    insert into price (id, model_id, starts_at, units, vendor_units) values
      ('old', 'small', '2026-01-01', '{"input": "1"}', '{}'), ('now', 'small', '2026-11-20T15:20:00Z', '{"input": "2"}', '{}'),
      ('next', 'small', '2026-11-20T15:20:00.001Z', '{"input": "3"}', '{}'), ('drawn', 'draws', '2026-01-01', '{"image": "9"}', '{}'),
      ('later', 'large', '2027-01-01', '{"input": "4"}', '{}'), ('off', 'hidden', '2026-01-01', '{"input": "5"}', '{}'),
      ('none', 'unsold', '2026-01-01', '{"input": "6"}', '{}'), ('unrun', 'unrun', '2026-01-01', '{"input": "6"}', '{}'),
      ('paused', 'paused', '2026-01-01', '{"input": "6"}', '{}'), ('closed', 'closed', '2026-01-01', '{"input": "6"}', '{}')`)
})
afterAll(() => world.close())

describe('the public catalog', () => {
  it('has what is for sale now, at the price in force, for somebody without an account', async () => {
    const handler = world.routes.openRoute(listModels)
    const response = await world.call(handler, { path: '/api/models' })
    expect(response.status).toBe(200)
    const { rows, groups } = modelList.parse(await response.json())
    // No price yet, turned off, in no group, no deployment that is called: none of these can be bought.
    expect(rows.map(({ id, rates, priceFrom }) => [id, rates, priceFrom])).toEqual([
      ['draws', { image: '9' }, '2026-01-01T00:00:00.000Z'],
      ['small', { input: '2' }, '2026-11-20T15:20:00.000Z'],
    ])
    expect(rows[0]?.facts).toMatchObject({ sizes: ['512x512'], voices: [], dimensions: null })
    expect(groups.map(({ name, multiplierBp, models }) => [name, multiplierBp, models])).toEqual([
      ['main', 10_000, ['draws', 'large', 'small']],
      ['another', 15_000, ['large']],
    ])
  })

  it('has the groups of an account, and the models that only they have, for its people alone', async () => {
    const [member, other] = [await world.newUser(), await world.newUser()]
    await world.pool.query(`
      insert into model (id, owned_by, modality, context_window, max_output) values ('rare', 'house', 'chat', 1024, 512);
      insert into deployment (id, model_id, connection_id, upstream_model) values ('dep_rare', 'rare', 'con_box', 'rare');
      insert into price (id, model_id, starts_at, units, vendor_units) values ('rare', 'rare', '2026-01-01', '{"input": "7"}', '{}');
      insert into model_group (id, name, description, multiplier_bp, open) values ('grp_vip', 'vip', 'By invitation', 5000, false);
      insert into group_model (group_id, model_id) values ('grp_vip', 'rare')`)
    await world.pool.query("insert into group_account (group_id, account_id) values ('grp_vip', $1)", [member.accountId])
    const listOf = async (as?: SignedInUser) => {
      const response = await world.call(world.routes.openRoute(listModels), { path: '/api/models', ...(as ? { as } : {}) })
      expect(response.headers.get('cache-control')).toBe('no-store')
      const { rows, groups } = modelList.parse(await response.json())
      return { models: rows.map(({ id }) => id), groups: groups.map(({ name }) => name) }
    }
    const publicCatalog = { models: ['draws', 'small'], groups: ['main', 'another'] }
    expect(await listOf(member)).toEqual({ models: ['draws', 'rare', 'small'], groups: ['main', 'another', 'vip'] })
    expect([await listOf(other), await listOf()]).toEqual([publicCatalog, publicCatalog])
  })

  it('names for each group and modality a model that probably answers', async () => {
    await world.pool.query(`
      insert into model (id, owned_by, modality, context_window, max_output, created_at)
        select id, owner, 'chat', 1024, 512, '2026-01-01' from (values
          ('a/error', 'sandbox'), ('b/boxed', 'house'), ('c/fails', 'house'), ('d/unproven', 'house'), ('e/answers', 'house')) m (id, owner);
      insert into price (id, model_id, starts_at, units, vendor_units) select id, id, '2026-01-01', '{"input": "1"}', '{}'
        from model where id like '_/%';
      insert into deployment (id, model_id, connection_id, upstream_model)
        select id, id, case when id < 'c' then 'con_box' else 'con_real' end, id from model where id like '_/%';
      insert into model_group (id, name, description, multiplier_bp) values ('grp_ex', 'zz', '', 10000), ('grp_none', 'zzz', '', 10000);
      insert into group_model (group_id, model_id) select 'grp_ex', id from model where id like '_/%'`)
    const example = async () =>
      (await listModels({ ctx: { ...world.console.ports, user: null } })).groups.find(({ id }) => id === 'grp_ex')?.examples.chat
    const hasHour = (id: string, hour: string, errors: number) =>
      world.pool.query(
        `insert into traffic (span, grain, at, id, requests, vendor_errors) values ('hour', 'model', $2, $1, 3, $3)`,
        [id, hour, errors],
      )
    expect(await example()).toBe('c/fails')
    await world.pool.query(`update model set facts = '{"assumed": ["maxOutput"]}' where id = 'c/fails'`)
    expect(await example()).toBe('d/unproven')
    await world.pool.query(`update model set facts = '{}' where id = 'c/fails'`)
    await world.pool.query(
      `insert into process (id, life_ms, beat_at, started_at, pid, host) values ('p', 60000, now(), now(), 1, 'h')`,
    )
    await world.pool.query(
      `insert into deployment_health (deployment_id, process_id, state, failure) values ('c/fails', 'p', 'open', 'failed')`,
    )
    expect(await example()).toBe('d/unproven')
    await hasHour('d/unproven', '2026-11-18T10:00:00Z', 0)
    await hasHour('d/unproven', '2026-11-20T10:00:00Z', 3)
    await hasHour('e/answers', '2026-11-20T10:00:00Z', 2)
    expect(await example()).toBe('e/answers')
    await world.pool.query(
      `insert into deployment_hold (deployment_id, held_by) values ('e/answers', 'ada'), ('d/unproven', 'ada')`,
    )
    expect(await example()).toBe('b/boxed')
    await world.pool.query(`update model set enabled = false where id ~ '^[^a]/'`)
    expect(await example()).toBe('a/error')
  })

  it('knows which models search the web in chats: those with a price for it whose vendors all can', async () => {
    await world.pool.query(`
      insert into model (id, owned_by, modality, context_window, max_output)
        select unnest(array['s/claude', 's/free', 's/mixed', 's/gpt']), 'house', 'chat', 1024, 512;
      insert into price (id, model_id, starts_at, units, vendor_units)
        select id, id, '2026-01-01', case id when 's/free' then '{"input": "1"}' else '{"input": "1", "web_search": "2"}' end::jsonb, '{}'
          from model where id like 's/%';
      insert into connection (id, name, kind) values ('con_a', 'a', 'anthropic'), ('con_o', 'o', 'openai'), ('con_g', 'g', 'google');
      insert into deployment (id, model_id, connection_id, upstream_model, enabled) values
        ('s1', 's/claude', 'con_a', 'm', true), ('s2', 's/claude', 'con_g', 'm', true), ('s3', 's/claude', 'con_o', 'm', false),
        ('s4', 's/free', 'con_a', 'm', true), ('s5', 's/mixed', 'con_a', 'm', true), ('s6', 's/mixed', 'con_o', 'm', true),
        ('s7', 's/gpt', 'con_o', 'm', true);
      insert into group_model (group_id, model_id) select 'grp_main', id from model where id like 's/%'`)
    const { rows } = await listModels({ ctx: { ...world.console.ports, user: null } })
    expect(rows.filter(({ searches }) => searches).map(({ id }) => id)).toEqual(['s/claude'])
  })

  it('tells nothing of vendors: neither what they are paid nor where they are', async () => {
    const text = await (await world.call(world.routes.openRoute(listModels), { path: '/api/models' })).text()
    expect(text).not.toMatch(/vendorUnits|vendor_units|connection|secret|note/i)
  })
})

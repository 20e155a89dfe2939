import { describe, expect, it } from 'vitest'
import { createPasswords } from './password.ts'

const passwords = createPasswords({ logN: 4, r: 8, p: 1 })

describe('createPasswords', () => {
  it('verifies what it hashed, and nothing else', async () => {
    const stored = await passwords.hash('correct horse')
    expect(await passwords.verify('correct horse', stored)).toBe(true)
    expect(await passwords.verify('correct horsf', stored)).toBe(false)
    expect(await passwords.verify('', stored)).toBe(false)
  })

  it('salts: the same password is stored in another form each time', async () => {
    expect(await passwords.hash('correct horse')).not.toBe(await passwords.hash('correct horse'))
  })

  it('takes one letter typed in two ways for the same', async () => {
    expect(await passwords.verify('cafe\u0301 au lait', await passwords.hash('caf\u00e9 au lait'))).toBe(true)
  })

  it('has a decoy of the same cost, which matches nothing', async () => {
    const stored = await passwords.hash('x')
    expect(passwords.decoy.split('$').slice(0, 4)).toEqual(stored.split('$').slice(0, 4))
    expect(passwords.decoy).toHaveLength(stored.length)
    expect(await passwords.verify('x', passwords.decoy)).toBe(false)
  })

  it('verifies what was made at another cost', async () => {
    const stored = await createPasswords({ logN: 5, r: 4, p: 2 }).hash('kept')
    expect(await passwords.verify('kept', stored)).toBe(true)
  })

  it('costs 32 MB three times over unless told otherwise', () => {
    expect(createPasswords().decoy).toMatch(/^scrypt\$15\$8\$3\$/)
  })

  it('turns away what would wait too long, and goes on afterwards', async () => {
    const results = await Promise.allSettled(Array.from({ length: 40 }, () => passwords.hash('x')))
    const refused = results.filter((result) => result.status === 'rejected')
    expect(refused).toHaveLength(40 - 2 - 32)
    expect(refused[0]?.reason).toMatchObject({ code: 'rate_limit_exceeded' })
    await expect(passwords.hash('x')).resolves.toBeDefined()
  })

  it('throws at a stored form that it does not know', async () => {
    await expect(passwords.verify('x', 'plain')).rejects.toThrow()
    await expect(passwords.hash('x')).resolves.toBeDefined()
  })
})

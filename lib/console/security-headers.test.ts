import { describe, expect, it } from 'vitest'
import { contentSecurityPolicy, pageHeaders } from './security-headers.ts'

const page = { nonce: 'bm9uY2U=', publicUrl: 'https://gateway.example', development: false }

describe('the headers of a page', () => {
  it('allow scripts with the nonce, and none that are inline or from elsewhere', () => {
    const policy = contentSecurityPolicy(page).split('; ')
    expect(policy).toContain("script-src 'self' 'nonce-bm9uY2U=' 'strict-dynamic'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy.filter((part) => part.startsWith('script-src')).join()).not.toContain('unsafe')
  })

  it('evaluate strings under next dev alone', () => {
    expect(contentSecurityPolicy({ ...page, development: true })).toContain("'unsafe-eval'")
  })

  it('ask for encryption where the gateway is reached by it', () => {
    expect(pageHeaders(page)['Strict-Transport-Security']).toBe('max-age=63072000')
    const plain = { ...page, publicUrl: 'http://localhost:3000' }
    expect(pageHeaders(plain)['Strict-Transport-Security']).toBeUndefined()
  })

  it('keep pages out of frames and the microphone to this site', () => {
    expect(pageHeaders(page)).toMatchObject({ 'X-Frame-Options': 'DENY', 'X-Content-Type-Options': 'nosniff' })
    expect(pageHeaders(page)['Permissions-Policy']).toContain('microphone=(self)')
  })
})

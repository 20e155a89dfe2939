/** How an attempt to sign in ended. */
export type Entered = 'in' | 'wrong' | 'limited' | 'failed'

/** Signs in with email and password. Loaded when it is needed: a page is there before its form is sent. */
export async function enter(email: string, password: string): Promise<Entered> {
  const { signIn } = await import('next-auth/react')
  const answer = await signIn('credentials', { redirect: false, email, password })
  if (answer?.ok === true && !answer.error) return 'in'
  if (answer?.error === 'rate_limit_exceeded') return 'limited'
  return answer?.status === 401 ? 'wrong' : 'failed'
}

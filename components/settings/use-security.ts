'use client'
import { security } from '#lib/contracts/sign-in'
import { useApi } from '../use-api.ts'

/** How the reader signs in. */
export const useSecurity = () => useApi('/api/settings/security', security)

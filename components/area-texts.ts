import type en from './messages/en.json'

/** Parts of the texts, by the names of components/messages. */
export type Part = keyof typeof en

/** What the frame of the console uses, and what its holders' and its operators' pages have in common. */
const FRAME = ['common', 'errors', 'keyboard', 'nav', 'shell', 'verifyNotice'] as const satisfies Part[]
const SHARED = [
  'billing',
  'chart',
  'history',
  'models',
  'recorded',
  'requests',
  'settings',
  'usage',
  'webhooks',
] as const satisfies Part[]

/** Which texts the pages of an area use in the browser. A test holds them against what their components ask for. */
export const AREA_TEXTS = {
  auth: ['auth', 'errors', 'shell', 'signIn'],
  models: ['common', 'models'],
  console: [
    ...FRAME,
    ...SHARED,
    'account',
    'autoTopUp',
    'key',
    'keys',
    'overview',
    'playground',
    'security',
    'signIn',
    'spendingAlerts',
  ],
  operator: [
    ...FRAME,
    ...SHARED,
    'operator',
    'operatorAccounts',
    'operatorAlerts',
    'operatorSettings',
    'traffic',
    'vendorFields',
  ],
} as const satisfies Record<string, readonly Part[]>

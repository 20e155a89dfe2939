import type en from './messages/en.json'

/** The sections of the texts, by their names in components/messages. */
export type TextSection = keyof typeof en

/** The sections that the console's frame uses. `SHARED` are those that account holders' and operators' pages have in common. */
const FRAME = ['common', 'errors', 'keyboard', 'nav', 'shell', 'verifyNotice'] as const satisfies TextSection[]
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
] as const satisfies TextSection[]

/** The sections that the pages of an area use in the browser. A test checks them against what their components request. */
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
} as const satisfies Record<string, readonly TextSection[]>

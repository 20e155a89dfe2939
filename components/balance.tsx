import { Money } from './money.tsx'

/**
 * What an account has. Balances are never rounded: a rounded one would show money that is not there, and the same balance would
 * differ from page to page. Where there is no room for all digits, `softClassName` hides those beyond the cents.
 */
export const Balance = (props: { nano: string; className?: string; softClassName?: string }) => <Money {...props} style="exact" />

import { consoleRoute } from '#app/api/console'
import { mailWishesInput } from '#lib/contracts/account'
import { getMailWishes, setMailWishes } from '#lib/services/mail/mail-wishes'

export const GET = consoleRoute(getMailWishes)
export const POST = consoleRoute(setMailWishes, { input: mailWishesInput })

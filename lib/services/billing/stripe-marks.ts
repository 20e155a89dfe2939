/** Under which names the objects that we make at Stripe carry the ids of our payment and of its account. */
export const PAYMENT_MARK = 'tollgate_payment'
export const ACCOUNT_MARK = 'tollgate_account'
/** `yes` on a page whose card is to be kept. */
export const SAVE_MARK = 'tollgate_save_card'

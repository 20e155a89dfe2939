/** The metadata names under which our objects at Stripe carry the ids of our payment and its account. */
export const PAYMENT_MARK = 'tollgate_payment'
export const ACCOUNT_MARK = 'tollgate_account'
/** `yes` on a page whose card is to be saved. */
export const SAVE_MARK = 'tollgate_save_card'

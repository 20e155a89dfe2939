/** The metadata names under which our objects at Stripe carry the ids of our payment and its account. */
export const PAYMENT_METADATA_KEY = 'tollgate_payment'
export const ACCOUNT_METADATA_KEY = 'tollgate_account'
/** `yes` on a page whose card is to be saved. */
export const SAVE_CARD_METADATA_KEY = 'tollgate_save_card'

/** What is told of payments, codes, cards and spending alerts. */
export const billing = {
  'Payments are not set up.': '尚未配置支付。',
  'Payments are not set up. Ask the operator for credit.': '尚未配置支付，请向运营者申请额度。',
  'Stripe cannot be reached right now. Nothing was paid. Try again in a minute.':
    '暂时无法连接 Stripe，没有扣款。请过一分钟再试。',
  'This amount is below what Stripe accepts. Enter more.': '此金额低于 Stripe 接受的下限，请提高金额。',
  'This amount is above what Stripe accepts. Enter less.': '此金额高于 Stripe 接受的上限，请降低金额。',
  'Payments are not available, because Stripe refuses them. Nothing was paid. Tell the operator of this gateway.':
    'Stripe 拒绝了付款，目前无法支付。没有扣款，请告知本网关的运营者。',
  'Choose an amount from {least} to {most} {unit}.': '请选择 {least} 至 {most} {unit} 之间的金额。',
  'This amount cannot be paid in {unit}: it has too many decimals.': '小数位数过多，无法以 {unit} 支付此金额。',
  'This payment was already started. Start a new one.': '此付款之前已开始，请重新发起。',
  'There is no such payment.': '没有这笔付款。',
  'There is no saved card.': '没有已保存的银行卡。',
  'There is no saved card to pay with. Save one first.': '没有可付款的银行卡，请先保存一张。',
  'The monthly limit must cover at least one payment. Raise it, or pay less each time.':
    '每月上限必须足够支付一次。请提高上限，或减少每次的金额。',
  'The balance would exceed its maximum.': '账户余额将超过上限。',
  'This account has since been closed.': '此账户已注销。',
  'This account has since been closed. The code is still valid.': '此账户已注销，兑换码仍然有效。',
  'This code is invalid. Check it for typos.': '兑换码无效，请检查是否输入有误。',
  'This code was created by somebody of this account, so only an owner can redeem it here. Ask an owner for credit.':
    '此兑换码由本账户的成员创建，只有所有者才能在此兑换。请向所有者申请额度。',
  "This code was created by somebody who is not an owner, so it cannot be redeemed for an owner's account.":
    '此兑换码的创建者不是所有者，不能为所有者的账户兑换。',
  'You have already redeemed this code. Its amount is in your balance.': '您已兑换过此兑换码，金额已计入余额。',
  'There is no such key. Choose another one.': '没有这个密钥，请选择其他密钥。',
  'This alert already exists. Choose another amount.': '已有相同的提醒，请选择其他金额。',
  'An account can have at most twenty alerts. Remove one first.': '每个账户最多 20 个提醒，请先移除一个。',
  'There is no such alert.': '没有这个提醒。',
} as const

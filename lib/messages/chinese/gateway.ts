/** What operators are told of settings, alerts and vendors' balances. */
export const gateway = {
  'It is named twice.': '此项重复了。',
  'Write an amount above zero that can be paid in {currency}.': '请填写大于零且可用 {currency} 支付的金额。',
  'The least of a top-up is above the most.': '最小充值高于最大充值。',
  'The first pause of a breaker is longer than the longest.': '熔断器的首次停顿超过了最长停顿。',
  'Somebody else has changed this setting ({name}). Load the page again.': '此设置（{name}）已被他人更改，请重新加载页面。',
  'Say who is to be told: an address, or the webhooks.': '请说明通知谁：一个地址，或 Webhook。',
  'A rule about everything names nothing.': '针对全部的规则不能指定名称。',
  'There is no model or connection of this id.': '没有这个 ID 的模型或连接。',
  'There is no such rule.': '没有这条规则。',
  'Somebody else has changed this rule since you opened it. Load it again, then make your change.':
    '您打开之后，他人更改了此规则。请重新加载后再更改。',
  'There are at most {most} endpoints. Remove one that is not used any more.': '最多 {most} 个端点，请移除一个不再使用的。',
  'This endpoint is on already.': '此端点已经开启。',
  'Name a time within the last 30 days.': '请填写最近 30 天内的时间。',
  'Somebody else has stated this balance meanwhile. Load the page again.': '此余额已被他人填写，请重新加载页面。',
} as const

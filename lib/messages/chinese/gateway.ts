/** What operators are told of settings, alerts and vendors' balances. */
export const gateway = {
  'It is listed twice.': '此项重复了。',
  'Enter an amount above zero that can be paid in {currency}.': '请填写大于零且可用 {currency} 支付的金额。',
  'The minimum top-up is above the maximum.': '最低充值金额高于最高充值金额。',
  'The first pause of a breaker is longer than its longest pause.': '首次熔断时长超过了最长熔断时长。',
  'Somebody else has changed this setting ({name}). Reload the page.': '此设置（{name}）已被他人更改，请重新加载页面。',
  'Choose who is notified: an email address, or the webhooks.': '请选择通知方式：邮箱，或 Webhook。',
  'A rule for everything cannot name a model or connection.': '针对整个网关的规则不能指定模型或连接。',
  'There is no model or connection with this id.': '没有这个 ID 的模型或连接。',
  'There is no such rule.': '没有这条规则。',
  'Somebody else has changed this rule since you opened it. Reload it, then make your change.':
    '您打开之后，他人更改了此规则。请重新加载后再更改。',
  'There can be at most {most} endpoints. Remove one that is no longer used.': '最多 {most} 个端点，请删除一个不再使用的。',
  'This endpoint is already on.': '此端点已经启用。',
  'Choose a time within the last 30 days.': '请填写最近 30 天内的时间。',
  'Somebody else has since entered this balance. Reload the page.': '此余额已被他人填写，请重新加载页面。',
} as const

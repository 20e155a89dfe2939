/** What mails say. */
export const mails = {
  'Hello,': '您好：',
  'Hello {name},': '您好，{name}：',
  'Confirm your address at Tollgate': '请确认您在 Tollgate 的邮箱',
  'an account was made with this address. Confirm that it is yours: {link}': '有人用此邮箱注册了账户。请确认邮箱属于您：{link}',
  'The link is good once, for 24 hours. If the account is not yours, do nothing.':
    '链接 24 小时内有效，只能使用一次。如果不是您注册的，无需任何操作。',
  'Confirm your new address at Tollgate': '请确认您在 Tollgate 的新邮箱',
  'confirm that you want to sign in with this address from now on: {link}': '请确认今后使用此邮箱登录：{link}',
  'The link is good once, for 24 hours. If you did not ask for it, do nothing.':
    '链接 24 小时内有效，只能使用一次。如果不是您申请的，无需任何操作。',
  'Your address at Tollgate was changed': '您在 Tollgate 的邮箱已更改',
  'your account is signed in to with {email} now.': '您的账户现在使用 {email} 登录。',
  'If this was not you, tell whoever runs this gateway at once.': '如果不是您本人操作，请立即联系网关的运营者。',
  'Set a new password at Tollgate': '设置您在 Tollgate 的新密码',
  'set a new password: {link}': '请设置新密码：{link}',
  'The link is good once, for an hour. If you did not ask for it, do nothing: your password stays as it is.':
    '链接一小时内有效，只能使用一次。如果不是您申请的，无需任何操作，密码不会改变。',
  'Your password at Tollgate was changed': '您在 Tollgate 的密码已更改',
  'your password was changed, and all other sessions were ended.': '您的密码已更改，所有其他会话已结束。',
  'Nobody had confirmed this address before, so API keys and webhooks made until now were ended. Make new ones.':
    '此邮箱之前未经确认，因此之前创建的 API 密钥和 Webhook 均已失效，请重新创建。',
  'If this was not you, set a new one: {link}': '如果不是您本人操作，请设置新密码：{link}',
  'Your address at Tollgate': '您在 Tollgate 的邮箱',
  'somebody, perhaps you, wanted to use this address for an account. You have one already: {link}':
    '有人（也许是您）想将此邮箱用于账户，而您已有账户：{link}',
  'If you have forgotten its password: {link}': '如果忘记了密码：{link}',
  'If it was not you, do nothing.': '如果不是您本人，无需任何操作。',
  '{provider} can sign in to your Tollgate account': '{provider} 现在可以登录您的 Tollgate 账户',
  'from now on you can sign in with {provider}, whose address is the one of your account.':
    '今后您可以使用 {provider} 登录，其邮箱与您的账户相同。',
  'If this was not you, disconnect it: {link}': '如果不是您本人操作，请断开连接：{link}',
  'A webhook endpoint was switched off': '一个 Webhook 端点已停用',
  'the webhook endpoint {url} has taken nothing for three days and was switched off. Nothing is sent to it any more.':
    'Webhook 端点 {url} 连续三天投递失败，已被停用，不再向其发送任何内容。',
  'the webhook endpoint {url} answered 410 Gone and was switched off. Nothing is sent to it any more.':
    'Webhook 端点 {url} 返回 410 Gone，已被停用，不再向其发送任何内容。',
  'Mend it and switch it on again: {link}': '修复后请重新启用：{link}',
  'your bank declined it': '银行拒绝了付款',
  'there is not enough on the card': '卡内余额不足',
  'the card has expired': '银行卡已过期',
  'your bank wants you to confirm it yourself': '银行要求您本人确认',
  'the card is not saved at Stripe any more': 'Stripe 已不再保存该卡',
  'Stripe refused it': 'Stripe 拒绝了付款',
  'Stripe did not answer for a day': 'Stripe 一天未响应',
  'It is tried again in an hour.': '一小时后重试。',
  'It is tried again in {hours} hours.': '{hours} 小时后重试。',
  'It is tried again with the card that is saved now.': '将使用现在保存的银行卡重试。',
  'Automatic top-up is off now: when the balance is used up, requests are refused.': '自动充值已关闭：余额用完后，请求将被拒绝。',
  'Your payment of {amount} failed': '您的 {amount} 付款失败',
  'your payment of {amount} failed after all. Nothing was paid.': '您的 {amount} 付款最终失败，没有扣款。',
  'Pay in another way: {link}': '请用其他方式付款：{link}',
  'an automatic payment of {amount} failed: {why}. Nothing was paid.': '{amount} 的自动付款失败：{why}。没有扣款。',
  'an automatic payment of {amount} from {card} failed: {why}. Nothing was paid.':
    '从 {card} 自动支付 {amount} 失败：{why}。没有扣款。',
  'Automatic top-up is off': '自动充值已关闭',
  'A top-up of {amount} failed': '{amount} 的充值失败',
  'Pay by hand, save another card, or switch automatic top-up on again: {link}':
    '请手动付款、保存另一张银行卡，或重新开启自动充值：{link}',
  'your account': '您的账户',
  'the key "{name}"': '密钥“{name}”',
  'on {day} (UTC)': '{day}（UTC）',
  'in {month} (UTC)': '{month}（UTC）',
  '{spent} spent today': '今日已花费 {spent}',
  '{spent} spent this month': '本月已花费 {spent}',
  '{who} has spent {spent} {when}, and you wanted to know at {amount}. Nothing is stopped by this.':
    '{when}，{who}已花费 {spent}，达到您设定的 {amount}。不会因此停止任何请求。',
  'Change when you are told: {link}': '更改通知条件：{link}',
  'Your Tollgate balance is {balance}': '您的 Tollgate 余额为 {balance}',
  'your balance has fallen below {mark}, and is {balance} now. When it is used up, requests are refused.':
    '您的余额已低于 {mark}，现为 {balance}。余额用完后，请求将被拒绝。',
  'Top up, or change when you are told: {link}': '充值，或更改通知条件：{link}',
  '{amount} was added to your Tollgate balance': '您的 Tollgate 余额已增加 {amount}',
  'your free balance was below what you set, so {amount} was paid from {card} and added to it.':
    '您的可用金额低于设定值，已从 {card} 支付 {amount} 并计入余额。',
  'your free balance was below what you set, so {amount} was paid from the saved card and added to it.':
    '您的可用金额低于设定值，已用保存的银行卡支付 {amount} 并计入余额。',
  'The receipt, and automatic top-up itself: {link}': '收据与自动充值设置：{link}',
  'the gateway': '网关',
  'the model {name}': '模型 {name}',
  'the connection {name}': '连接 {name}',
  'Its deployments are called again.': '其部署已恢复调用。',
  '{deployments} of its deployments failed too often and are left out. Models: {models}.':
    '其 {deployments} 个部署失败过多，已暂停调用。模型：{models}。',
  '{failed} of {requests} calls failed ({percent} %) within {minutes} minutes.':
    '{minutes} 分钟内 {requests} 次调用中有 {failed} 次失败（{percent}%）。',
  'The rule is set to {percent} %.': '规则设定为 {percent}%。',
  '{left} is left there, as the vendor says. The rule is set to {below}.': '据供应商所示，余额为 {left}。规则设定为 {below}。',
  '{left} is left there, as was stated, less what our calls have cost since. The rule is set to {below}.':
    '按填写的余额减去此后调用的费用，余额为 {left}。规则设定为 {below}。',
  'A breaker is open': '熔断器已打开',
  'The breakers are closed again': '熔断器已闭合',
  'Too many calls fail': '调用失败过多',
  'Calls succeed again': '调用已恢复正常',
  'A vendor balance is low': '供应商余额过低',
  'The vendor balance is enough again': '供应商余额已充足',
  '{what}: {whom}': '{what}：{whom}',
  '{what}: {whom}.': '{what}：{whom}。',
  'Seen at {time} UTC.': '发现于 {time} UTC。',
  'Who is told, and when: {link}': '通知对象与条件：{link}',
} as const

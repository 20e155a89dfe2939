/** What mails say. */
export const emails = {
  'Hello,': '您好：',
  'Hello {name},': '您好，{name}：',
  'Confirm your Tollgate email address': '请确认您在 Tollgate 的邮箱',
  'An account was created with this address. Confirm that it is yours: {link}':
    '有人用此邮箱注册了账户。请确认邮箱属于您：{link}',
  'The link works once and expires in 24 hours. If the account is not yours, ignore this email.':
    '链接 24 小时内有效，只能使用一次。如果不是您注册的，请忽略此邮件。',
  'Confirm your new Tollgate email address': '请确认您在 Tollgate 的新邮箱',
  'Confirm that you want to sign in with this address from now on: {link}': '请确认今后使用此邮箱登录：{link}',
  'The link works once and expires in 24 hours. If you did not request it, ignore this email.':
    '链接 24 小时内有效，只能使用一次。如果不是您申请的，请忽略此邮件。',
  'Your Tollgate email address was changed': '您在 Tollgate 的邮箱已更改',
  'You now sign in to your account with {email}.': '您的账户现在使用 {email} 登录。',
  'If this was not you, contact the operator of this gateway immediately.': '如果不是您本人操作，请立即联系网关的运营者。',
  'Set a new Tollgate password': '设置您在 Tollgate 的新密码',
  'Set a new password: {link}': '请设置新密码：{link}',
  'The link works once and expires in an hour. If you did not request it, ignore this email. Your password stays the same.':
    '链接一小时内有效，只能使用一次。如果不是您申请的，请忽略此邮件，密码不会改变。',
  'Your Tollgate password was changed': '您在 Tollgate 的密码已更改',
  'Your password was changed, and all other sessions were ended.': '您的密码已更改，所有其他会话已结束。',
  'This address was not confirmed before, so existing API keys and webhooks were ended. Create new ones.':
    '此邮箱之前未经确认，因此之前创建的 API 密钥和 Webhook 均已失效，请重新创建。',
  'If this was not you, set a new one: {link}': '如果不是您本人操作，请设置新密码：{link}',
  'Two-step verification is off for your Tollgate account': '您的 Tollgate 账户已关闭两步验证',
  'Two-step verification is on for your Tollgate account': '您的 Tollgate 账户已开启两步验证',
  'From now on, each sign-in asks for a code from your authenticator app, or for a recovery code.':
    '今后每次登录都需要身份验证器应用的验证码，或一个恢复码。',
  'From now on, no sign-in asks for a code, and the recovery codes no longer work.': '今后登录不再要求验证码，恢复码也已失效。',
  'Your Tollgate account has new recovery codes': '您的 Tollgate 账户有新的恢复码',
  'New recovery codes were created for two-step verification. The previous ones no longer work.':
    '已为两步验证生成新的恢复码，原有的恢复码已失效。',
  'If this was not you, set a new password at once: {link}': '如果不是您本人操作，请立即设置新密码：{link}',
  'Then check two-step verification in your settings, or contact the operator of this gateway.':
    '然后请在设置中检查两步验证，或联系网关的运营者。',
  'An operator of this gateway turned off two-step verification for your account. All your sessions were ended.':
    '网关的运营者关闭了您账户的两步验证，您的所有会话已结束。',
  'Sign in and turn it on again: {link}': '请登录并重新开启：{link}',
  'If you did not ask for this, contact the operator of this gateway immediately.': '如果不是您要求的，请立即联系网关的运营者。',
  'Your Tollgate email address': '您在 Tollgate 的邮箱',
  'Somebody, perhaps you, wanted to use this address for an account. You already have one: {link}':
    '有人（也许是您）想用此邮箱注册账户，而您已有账户：{link}',
  'If you forgot its password, set a new one: {link}': '如果忘记了密码，请设置新密码：{link}',
  'If this was not you, ignore this email.': '如果不是您本人，请忽略此邮件。',
  '{provider} can now sign in to your Tollgate account': '{provider} 现在可以登录您的 Tollgate 账户',
  'From now on you can sign in with {provider}, which uses the email address of your account.':
    '今后您可以使用 {provider} 登录，其邮箱与您的账户相同。',
  'If this was not you, disconnect it: {link}': '如果不是您本人操作，请解绑：{link}',
  'A webhook endpoint was turned off': '一个 Webhook 端点已停用',
  'The webhook endpoint {url} accepted nothing for three days and was turned off. Nothing more is sent to it.':
    'Webhook 端点 {url} 连续三天投递失败，已被停用，不再向其发送任何内容。',
  'The webhook endpoint {url} answered 410 Gone and was turned off. Nothing more is sent to it.':
    'Webhook 端点 {url} 返回 410 Gone，已被停用，不再向其发送任何内容。',
  'Fix it and turn it on again: {link}': '修复后请重新启用：{link}',
  'your bank declined it': '银行拒绝了付款',
  'the card has insufficient funds': '卡内余额不足',
  'the card has expired': '银行卡已过期',
  'your bank requires you to confirm it yourself': '银行要求您本人确认',
  'the card is no longer saved at Stripe': 'Stripe 已不再保存该卡',
  'Stripe refused it': 'Stripe 拒绝了付款',
  'Stripe did not answer for a day': 'Stripe 一天内没有响应',
  'It will be retried in an hour.': '一小时后重试。',
  'It will be retried in {hours} hours.': '{hours} 小时后重试。',
  'It will be retried with the card that is saved now.': '将使用现在保存的银行卡重试。',
  'Automatic top-up is now off. When the balance is used up, requests are refused.': '自动充值已关闭：余额用完后，请求将被拒绝。',
  'Your payment of {amount} failed': '您的 {amount} 付款失败',
  'Your payment of {amount} did not go through. Nothing was paid.': '您的 {amount} 付款未成功，没有扣款。',
  'Pay another way: {link}': '请用其他方式付款：{link}',
  'An automatic payment of {amount} failed: {why}. Nothing was paid.': '{amount} 的自动付款失败：{why}。没有扣款。',
  'An automatic payment of {amount} from {card} failed: {why}. Nothing was paid.':
    '从 {card} 自动支付 {amount} 失败：{why}。没有扣款。',
  'Automatic top-up is off': '自动充值已关闭',
  'A top-up of {amount} failed': '{amount} 的充值失败',
  'Pay manually, save another card, or turn automatic top-up on again: {link}':
    '请手动付款、保存另一张银行卡，或重新开启自动充值：{link}',
  'Pay manually, or save another card: {link}': '请手动付款，或保存另一张银行卡：{link}',
  'Pay manually, or turn automatic top-up on again: {link}': '请手动付款，或重新开启自动充值：{link}',
  'Pay manually, or save another card and turn automatic top-up on again: {link}':
    '请手动付款，或保存另一张银行卡并重新开启自动充值：{link}',
  '{amount} of an automatic payment was refunded.': '自动付款中的 {amount} 已退款。',
  'A payment is disputed at your bank, which took {amount} back.': '一笔付款在您的银行被提出争议，银行已收回 {amount}。',
  'The saved card was removed at Stripe.': '已保存的银行卡在 Stripe 被移除。',
  'The saved card {card} was removed at Stripe.': '已保存的银行卡 {card} 在 Stripe 被移除。',
  'Your account': '您的账户',
  'The key "{name}"': '密钥“{name}”',
  'on {day} (UTC)': '{day}（UTC）',
  'in {month} (UTC)': '{month}（UTC）',
  '{spent} spent today': '今日已消费 {spent}',
  '{spent} spent this month': '本月已消费 {spent}',
  '{who} has spent {spent} {when}. You asked to be notified at {amount}. No requests are stopped.':
    '{when}，{who}已消费 {spent}，达到您设定的 {amount}。不会因此停止任何请求。',
  'Change when you are notified: {link}': '更改通知条件：{link}',
  'Your Tollgate balance is {balance}': '您的 Tollgate 余额为 {balance}',
  'Your balance has fallen below {mark} and is now {balance}. When it is used up, requests are refused.':
    '您的余额已低于 {mark}，现为 {balance}。余额用完后，请求将被拒绝。',
  'Top up, or change when you are notified: {link}': '充值，或更改通知条件：{link}',
  '{amount} was added to your Tollgate balance': '您的 Tollgate 余额已增加 {amount}',
  'Your available balance fell below the amount that you set, so {amount} was paid from {card} and added to it.':
    '您的可用余额低于设定值，已从 {card} 支付 {amount} 并计入余额。',
  'Your available balance fell below the amount that you set, so {amount} was paid from the saved card and added to it.':
    '您的可用余额低于设定值，已用保存的银行卡支付 {amount} 并计入余额。',
  'See the receipt and the automatic top-up settings: {link}': '查看收据与自动充值设置：{link}',
  'the gateway': '网关',
  'the model {name}': '模型 {name}',
  'the connection {name}': '连接 {name}',
  'Its deployments are in use again.': '其部署已恢复调用。',
  '{deployments} of its deployments failed too often and are skipped. Models: {models}.':
    '其 {deployments} 个部署失败过多，已熔断。模型：{models}。',
  '{failed} of {requests} calls failed ({percent}%) within {minutes} minutes.':
    '{minutes} 分钟内 {requests} 次调用中有 {failed} 次失败（{percent}%）。',
  'The rule is set to {percent}%.': '规则阈值为 {percent}%。',
  'The vendor reports that {left} is left. The rule is set to {below}.': '据供应商报告，余额为 {left}。规则阈值为 {below}。',
  '{left} is left: the balance entered, less the cost of our calls since. The rule is set to {below}.':
    '按填写的余额减去此后调用的成本，余额为 {left}。规则阈值为 {below}。',
  'A breaker is open': '部署已熔断',
  'The breakers are closed again': '熔断已解除',
  'Too many calls are failing': '调用失败过多',
  'Calls are succeeding again': '调用已恢复正常',
  'A vendor balance is low': '供应商余额过低',
  'The vendor balance is sufficient again': '供应商余额已充足',
  '{what}: {whom}': '{what}：{whom}',
  '{what}: {whom}.': '{what}：{whom}。',
  'Seen at {time} UTC.': '检测时间：{time} UTC。',
  'Change who is notified, and when: {link}': '更改通知对象与条件：{link}',
} as const

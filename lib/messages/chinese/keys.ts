/** What is told of API keys, of the playground and of webhooks. */
export const keys = {
  'An account can have at most {most} keys. Revoke one that is no longer used.':
    '每个账户最多 {most} 个密钥，请吊销一个不再使用的。',
  'This model group does not exist. Choose another one.': '没有这个模型分组，请选择其他分组。',
  'The group "{group}" has no model "{model}". Choose from its models.': '分组“{group}”中没有模型“{model}”，请从其模型中选择。',
  '"{text}" is not an IP address or range. Use a form such as 203.0.113.7 or 203.0.113.0/24.':
    '“{text}”不是 IP 地址或网段，请按 203.0.113.7 或 203.0.113.0/24 的格式填写。',
  'The expiry is in the past. Choose a later time.': '到期时间已过，请选择更晚的时间。',
  'This key is revoked and cannot be changed. Create a new one.': '此密钥已吊销，不能更改。请创建新的密钥。',
  'This key is revoked or expired. Extend its expiry, or create a new key.':
    '此密钥已吊销或已过期。请延后到期时间，或创建新的密钥。',
  '{count} earlier secrets of this key are still valid. End them first, or let the old ones end immediately.':
    '此密钥还有 {count} 个旧密钥值有效。请先结束它们，或让旧密钥值立即失效。',
  'An account can have at most {most} endpoints. Remove one that is no longer used.':
    '每个账户最多 {most} 个端点，请删除一个不再使用的。',
  'This endpoint is turned off. Turn it on first.': '此端点已停用，请先启用。',
  'There is no such delivery.': '没有这条投递记录。',
  'Enter an address that begins with https://.': '请填写以 https:// 开头的地址。',
  'Leave the user name and password out of the address.': '请去掉地址中的用户名和密码。',
  'Use a host name: numeric addresses are not accepted.': '请填写主机名，不接受数字形式的地址。',
  'Only hosts on the public internet can receive webhooks.': '只有公网上的主机才能接收 Webhook。',
} as const

/** What operators are told of connections, models, prices, deployments and groups. */
export const catalog = {
  connection: '连接',
  model: '模型',
  price: '价格',
  deployment: '部署',
  group: '分组',
  'There is no such {thing}, or something it refers to does not exist.': '没有这个{thing}，或它所引用的内容不存在。',
  'Somebody else has changed this {thing} ({id}) since you opened it. Reload it, then make your change.':
    '您打开之后，他人更改了此{thing}（{id}）。请重新加载后再更改。',
  'A connection with this name already exists and may be archived. Choose another name.':
    '已有同名的连接，可能已归档。请换一个名称。',
  'A model with this name already exists and may be archived. Choose another name, or restore it.':
    '已有同名的模型，可能已归档。请换一个名称，或恢复它。',
  'Another price of this model starts at exactly this time. Choose another time.':
    '此模型已有另一个价格在同一时刻开始，请选择其他时间。',
  'This connection already runs this model under this name. If the deployment is archived, restore it.':
    '此连接已以该名称运行此模型，可能已归档。请恢复它。',
  'A group with this name already exists and may be archived. Choose another name.': '已有同名的分组，可能已归档。请换一个名称。',
  'This price no longer exists.': '此价格已不存在。',
  'This price is in effect, or is about to be. Set a new one instead.': '此价格已生效或即将生效，请改为设置另一个价格。',
  'There is no such connection.': '没有这个连接。',
  'There is no such connection, or it is archived. Choose another one.': '没有这个使用中的连接，请选择其他连接。',
  'There is no connection "{connection}".': '没有连接“{connection}”。',
  '"{model}" on the connection "{connection}" is listed twice.': '连接“{connection}”上的“{model}”列出了两次。',
  'Only one group can be the default.': '只能有一个默认分组。',
  'There is no model "{model}".': '没有模型“{model}”。',
  'There is no such group.': '没有这个分组。',
  'There is no such deployment, or it is archived.': '没有这个部署，或已归档。',
  'This connection is archived. Restore it first.': '此连接已归档，请先恢复。',
  'The connection "{connection}" is archived. Restore it first.': '连接“{connection}”已归档，请先恢复。',
  'This group is archived. Restore it first.': '此分组已归档，请先恢复。',
  'This is the default group. Make another one the default first.': '这是默认分组，请先将其他分组设为默认。',
  'The default group is what every account can choose. Open it to all, or make another one the default.':
    '默认分组须可供所有账户选择。请对所有人开放，或将其他分组设为默认。',
  'There is no account "{name}". Enter an email address or an id.': '没有账户“{name}”，请填写邮箱或 ID。',
  'There is no connection kind "{kind}".': '没有“{kind}”这种连接类型。',
  '"{name}" is a connection of the kind {kind}, which cannot change. Choose another name.':
    '“{name}”是 {kind} 类型的连接，类型不能更改。请换一个名称。',
  'The variable {variable} is not set.': '未设置变量 {variable}。',
  'Enter the address that it listens on, for example http://localhost:11434/v1.':
    '请填写它监听的地址，例如 http://localhost:11434/v1。',
  'The address is displayed, so it cannot contain a user name and password. Put them in a header.':
    '地址会被显示，不能包含用户名和密码。请放入请求头。',
  '{vendor} requires this.': '{vendor} 需要此项。',
  'This has the wrong format.': '格式不正确。',
  '{vendor} has no field "{field}".': '{vendor} 没有“{field}”字段。',
  'The header "{name}" has no value yet. Enter one.': '请求头“{name}”还没有值，请填写。',
  'This would send the credentials to a different host. Enter them again.': '这会把凭据发送到其他主机，请重新填写凭据。',
  'This would send the headers to a different host. Enter their values again.': '这会把请求头发送到其他主机，请重新填写其值。',
  '{name} could not be queried: {why}.': '无法查询 {name}：{why}。',
  'No price is known for "{model}". Enter one.': '不知道“{model}”的价格，请填写。',
  '"{model}" is chosen twice.': '“{model}”被选择了两次。',
  'An answer cannot be longer than the context window.': '回答不能超过上下文窗口。',
  'A model of this kind needs a price for {units}.': '此类模型需要 {units} 的价格。',
  'A model of this kind needs a price for "output".': '此类模型需要“output”的价格。',
  '{these} or {unit}': '{these} 或 {unit}',
  'A price cannot start in the past, because past charges do not change. Choose a later time.':
    '价格不能从过去开始，已产生的扣费不变。请选择更晚的时间。',
  'This file contains no usage.': '此文件中没有用量。',
  '{to} is before {from}.': '{to} 早于 {from}。',
} as const

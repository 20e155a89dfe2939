import type { Content } from '../../blocks.ts'

/** 图片的生成与编辑。 */
export const images: Content['reference'] = {
  'Create images': '生成图片',
  'Image URLs expire, after 24 hours unless the operator has set another time. The available sizes and qualities depend on the model.':
    '图片地址在 24 小时后过期，除非运营者另有设置。可用的尺寸和质量取决于模型。',
  'What the image should show, or what to change in it.': '图片的内容，或要做的修改。',
  'How many images to generate. The default is 1. You pay for each image that is generated.':
    '生成多少张图片，默认为 1。按实际生成的张数计费。',
  'One of the sizes of the model, listed on its page in the catalog, or `auto`.':
    '模型支持的尺寸之一（见模型目录中该模型的页面），或 `auto`。',
  'One of the qualities of the model, such as `standard` or `hd`. It changes the price.':
    '模型支持的质量之一，例如 `standard` 或 `hd`。价格随之不同。',
  'A signed URL that is valid for a limited time, or the image itself in base64. The default is a URL, plus base64 for edits and for models that always return base64 at OpenAI.':
    '限时有效的带签名地址，或图片本身的 base64。默认返回地址；编辑图片时，以及使用在 OpenAI 总是返回 base64 的模型时，另附 base64。',
  'The background of the image, if the model has a choice.': '图片的背景，需模型支持此选项。',
  'The file format, if the model has a choice.': '文件格式，需模型支持此选项。',
  'The compression quality of a JPEG or WebP, in percent.': 'JPEG 或 WebP 的压缩质量（百分比）。',
  'How many partial images to send before a streamed image is complete.': '流式返回时，在图片完成之前发送多少张预览图。',
  'Whether to stream partial images and the final image as server-sent events, if the model supports it.':
    '是否以服务器发送事件（SSE）流式返回预览图和最终图片，需模型支持。',
  'How strictly the vendor moderates the request.': '供应商审核请求的严格程度。',
  'Dramatic or natural, if the model has a choice.': '生动或自然，需模型支持此选项。',
  'The usage, and its cost in units of the currency. Models that are billed by the image use no tokens.':
    '用量及其费用，费用以网关的货币为单位。按张计费的模型不使用 token。',
  'image_generation.partial_image, image_generation.completed, and the same for image_edit.':
    'image_generation.partial_image、image_generation.completed，以及 image_edit 的同名类型。',
  'In the last event, the usage and cost of all images.': '最后一个事件中，全部图片的用量及其费用。',
  'Edit images': '编辑图片',
  'Takes one or more images, and a mask whose transparent areas mark where to edit. Send them as files in a form or as `data:` URLs in JSON. The response is the same as for generations.':
    '接收一张或多张图片，以及一张以透明区域标出编辑位置的蒙版。可作为文件放在表单中，或以 `data:` 地址放在 JSON 中。响应与生成图片时相同。',
  'Each is one of: image/png, image/jpeg, image/webp. Up to 50 MiB each.':
    '每个文件的类型为以下之一：image/png、image/jpeg、image/webp。每个最大 50 MiB。',
  'One of: image/png. Up to 4 MiB.': '类型为 image/png，最大 4 MiB。',
  'How closely the input images are preserved, faces above all.': '对输入图片的还原程度，尤其是面部。',
}

// The REST routes of the area.

import { route } from '../../surfaces/rest/route.ts';
import * as documents from './operations.generated.ts';

export const routes = [
  route('POST /webhooks', documents.CreateWebhookDocument),
  route('GET /webhooks', documents.ListWebhooksDocument),
  route('GET /webhooks/{id}', documents.GetWebhookDocument),
  route('PATCH /webhooks/{id}', documents.UpdateWebhookDocument),
  route('DELETE /webhooks/{id}', documents.DeleteWebhookDocument),
  route('GET /webhooks/{id}/deliveries', documents.ListWebhookDeliveriesDocument),
  route('PUT /webhooks/{id}/deliveries', documents.ResendWebhookDeliveriesDocument),
  route('PUT /webhooks/{id}/ping', documents.PingWebhookDocument),
  route('PUT /webhooks/{id}/secret', documents.RotateWebhookSecretDocument),
];

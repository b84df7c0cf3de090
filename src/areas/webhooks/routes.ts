// The REST routes of the area.

import { route } from '../../surfaces/rest/route.ts';
import {
  CreateWebhookDocument,
  DeleteWebhookDocument,
  GetWebhookDocument,
  ListWebhookDeliveriesDocument,
  ListWebhooksDocument,
  PingWebhookDocument,
  ResendWebhookDeliveriesDocument,
  RotateWebhookSecretDocument,
  UpdateWebhookDocument,
} from './operations.generated.ts';

export const routes = [
  route('POST /webhooks', CreateWebhookDocument),
  route('GET /webhooks', ListWebhooksDocument),
  route('GET /webhooks/{id}', GetWebhookDocument),
  route('PATCH /webhooks/{id}', UpdateWebhookDocument),
  route('DELETE /webhooks/{id}', DeleteWebhookDocument),
  route('GET /webhooks/{id}/deliveries', ListWebhookDeliveriesDocument),
  route('PUT /webhooks/{id}/deliveries', ResendWebhookDeliveriesDocument),
  route('PUT /webhooks/{id}/ping', PingWebhookDocument),
  route('PUT /webhooks/{id}/secret', RotateWebhookSecretDocument),
];

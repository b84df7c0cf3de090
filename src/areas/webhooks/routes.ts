// The REST routes of the area.

import { route } from '../../surfaces/rest/route.ts';
import {
  CreateWebhookDocument,
  DeleteWebhookDocument,
  GetWebhookDocument,
  ListWebhookDeliveriesDocument,
  ListWebhooksDocument,
  UpdateWebhookDocument,
} from './operations.generated.ts';

export const routes = [
  route('POST /webhooks', CreateWebhookDocument),
  route('GET /webhooks', ListWebhooksDocument),
  route('GET /webhooks/{id}', GetWebhookDocument),
  route('PATCH /webhooks/{id}', UpdateWebhookDocument),
  route('DELETE /webhooks/{id}', DeleteWebhookDocument),
  route('GET /webhooks/{id}/deliveries', ListWebhookDeliveriesDocument),
];

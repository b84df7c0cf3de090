// The REST routes of the area.

import { route } from '../../surfaces/rest/route.ts';
import * as documents from './operations.generated.ts';

export const routes = [
  route('POST /backends/tunnel_group', documents.CreateTunnelGroupBackendDocument),
  route('GET /backends/tunnel_group', documents.ListTunnelGroupBackendsDocument),
  route('GET /backends/tunnel_group/{id}', documents.GetTunnelGroupBackendDocument),
  route('PATCH /backends/tunnel_group/{id}', documents.UpdateTunnelGroupBackendDocument),
  route('DELETE /backends/tunnel_group/{id}', documents.DeleteTunnelGroupBackendDocument),
];

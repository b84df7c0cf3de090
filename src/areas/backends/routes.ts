// The REST routes of the area.

import { route } from '../../surfaces/rest/route.ts';
import {
  CreateTunnelGroupBackendDocument,
  DeleteTunnelGroupBackendDocument,
  GetTunnelGroupBackendDocument,
  ListTunnelGroupBackendsDocument,
  UpdateTunnelGroupBackendDocument,
} from './operations.generated.ts';

export const routes = [
  route('POST /backends/tunnel_group', CreateTunnelGroupBackendDocument),
  route('GET /backends/tunnel_group', ListTunnelGroupBackendsDocument),
  route('GET /backends/tunnel_group/{id}', GetTunnelGroupBackendDocument),
  route('PATCH /backends/tunnel_group/{id}', UpdateTunnelGroupBackendDocument),
  route('DELETE /backends/tunnel_group/{id}', DeleteTunnelGroupBackendDocument),
];

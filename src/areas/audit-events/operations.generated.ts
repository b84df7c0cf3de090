/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type * as Types from '../../graphql/types.generated.js';

import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
/** What a change did to an object. */
export type AuditAction =
  /** Created it. */
  | 'create'
  /** Deleted it. */
  | 'delete'
  /** Changed it, or a part that it shows. */
  | 'update';

/** Kind of an actor. */
export type AuditActorType =
  /** A request with an API key. */
  | 'api_key'
  /** Somebody with access to the database, through the command line. */
  | 'cli'
  /** An identity provider that logged a user out. */
  | 'identity_provider'
  /** The server itself. */
  | 'system'
  /** A user who logged in or out at an application behind the gate. */
  | 'user';

/** What a change came through. */
export type AuditSurface =
  /** The command line. */
  | 'cli'
  /** The GraphQL API. */
  | 'graphql'
  /** A login or logout of a user. */
  | 'login'
  /** The REST API. */
  | 'rest'
  /** None: the server acted on its own, such as at its first start. */
  | 'server';

export type AuditEventBodyFragment = { id: string, uri: string, action: Types.AuditAction, kind: string, version: number, surface: Types.AuditSurface, created_at: string, object_id: string, request_id: string | null, client_address: string | null, actor: { type: Types.AuditActorType, description: string, api_key_id: string | null }, changes: Array<{ field: string, before: unknown, after: unknown, shortened: boolean }> | null };

export type ListAuditEventsQueryVariables = Exact<{
  limit?: number | null | undefined;
  before_id?: string | null | undefined;
}>;


export type ListAuditEventsQuery = { body: { uri: string, next_page_uri: string | null, audit_events: Array<{ id: string, uri: string, action: Types.AuditAction, kind: string, version: number, surface: Types.AuditSurface, created_at: string, object_id: string, request_id: string | null, client_address: string | null, actor: { type: Types.AuditActorType, description: string, api_key_id: string | null }, changes: Array<{ field: string, before: unknown, after: unknown, shortened: boolean }> | null }> } | null };

export type GetAuditEventQueryVariables = Exact<{
  id: string;
}>;


export type GetAuditEventQuery = { body: { id: string, uri: string, action: Types.AuditAction, kind: string, version: number, surface: Types.AuditSurface, created_at: string, object_id: string, request_id: string | null, client_address: string | null, actor: { type: Types.AuditActorType, description: string, api_key_id: string | null }, changes: Array<{ field: string, before: unknown, after: unknown, shortened: boolean }> | null } | null };

export const AuditEventBodyFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"AuditEventBody"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"AuditEvent"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"uri"}},{"kind":"Field","alias":{"kind":"Name","value":"created_at"},"name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"action"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","alias":{"kind":"Name","value":"object_id"},"name":{"kind":"Name","value":"objectId"}},{"kind":"Field","name":{"kind":"Name","value":"version"}},{"kind":"Field","name":{"kind":"Name","value":"actor"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"type"}},{"kind":"Field","alias":{"kind":"Name","value":"api_key_id"},"name":{"kind":"Name","value":"apiKeyId"}},{"kind":"Field","name":{"kind":"Name","value":"description"}}]}},{"kind":"Field","name":{"kind":"Name","value":"surface"}},{"kind":"Field","alias":{"kind":"Name","value":"request_id"},"name":{"kind":"Name","value":"requestId"}},{"kind":"Field","alias":{"kind":"Name","value":"client_address"},"name":{"kind":"Name","value":"clientAddress"}},{"kind":"Field","name":{"kind":"Name","value":"changes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"field"}},{"kind":"Field","name":{"kind":"Name","value":"before"}},{"kind":"Field","name":{"kind":"Name","value":"after"}},{"kind":"Field","name":{"kind":"Name","value":"shortened"}}]}}]}}]} as unknown as DocumentNode<AuditEventBodyFragment, unknown>;
export const ListAuditEventsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"ListAuditEvents"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"limit"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"before_id"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"body"},"name":{"kind":"Name","value":"auditEvents"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"limit"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"before_id"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"audit_events"},"name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"AuditEventBody"}}]}},{"kind":"Field","name":{"kind":"Name","value":"uri"}},{"kind":"Field","alias":{"kind":"Name","value":"next_page_uri"},"name":{"kind":"Name","value":"nextPageUri"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"AuditEventBody"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"AuditEvent"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"uri"}},{"kind":"Field","alias":{"kind":"Name","value":"created_at"},"name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"action"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","alias":{"kind":"Name","value":"object_id"},"name":{"kind":"Name","value":"objectId"}},{"kind":"Field","name":{"kind":"Name","value":"version"}},{"kind":"Field","name":{"kind":"Name","value":"actor"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"type"}},{"kind":"Field","alias":{"kind":"Name","value":"api_key_id"},"name":{"kind":"Name","value":"apiKeyId"}},{"kind":"Field","name":{"kind":"Name","value":"description"}}]}},{"kind":"Field","name":{"kind":"Name","value":"surface"}},{"kind":"Field","alias":{"kind":"Name","value":"request_id"},"name":{"kind":"Name","value":"requestId"}},{"kind":"Field","alias":{"kind":"Name","value":"client_address"},"name":{"kind":"Name","value":"clientAddress"}},{"kind":"Field","name":{"kind":"Name","value":"changes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"field"}},{"kind":"Field","name":{"kind":"Name","value":"before"}},{"kind":"Field","name":{"kind":"Name","value":"after"}},{"kind":"Field","name":{"kind":"Name","value":"shortened"}}]}}]}}]} as unknown as DocumentNode<ListAuditEventsQuery, ListAuditEventsQueryVariables>;
export const GetAuditEventDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"GetAuditEvent"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"body"},"name":{"kind":"Name","value":"auditEvent"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"AuditEventBody"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"AuditEventBody"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"AuditEvent"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"uri"}},{"kind":"Field","alias":{"kind":"Name","value":"created_at"},"name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"action"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","alias":{"kind":"Name","value":"object_id"},"name":{"kind":"Name","value":"objectId"}},{"kind":"Field","name":{"kind":"Name","value":"version"}},{"kind":"Field","name":{"kind":"Name","value":"actor"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"type"}},{"kind":"Field","alias":{"kind":"Name","value":"api_key_id"},"name":{"kind":"Name","value":"apiKeyId"}},{"kind":"Field","name":{"kind":"Name","value":"description"}}]}},{"kind":"Field","name":{"kind":"Name","value":"surface"}},{"kind":"Field","alias":{"kind":"Name","value":"request_id"},"name":{"kind":"Name","value":"requestId"}},{"kind":"Field","alias":{"kind":"Name","value":"client_address"},"name":{"kind":"Name","value":"clientAddress"}},{"kind":"Field","name":{"kind":"Name","value":"changes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"field"}},{"kind":"Field","name":{"kind":"Name","value":"before"}},{"kind":"Field","name":{"kind":"Name","value":"after"}},{"kind":"Field","name":{"kind":"Name","value":"shortened"}}]}}]}}]} as unknown as DocumentNode<GetAuditEventQuery, GetAuditEventQueryVariables>;
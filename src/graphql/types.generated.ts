export type Maybe<T> = T | null;
export type InputMaybe<T> = Maybe<T>;
/** All built-in and custom scalars, mapped to their actual values */
export type Scalars = {
  ID: { input: string; output: string; }
  String: { input: string; output: string; }
  Boolean: { input: boolean; output: boolean; }
  Int: { input: number; output: number; }
  Float: { input: number; output: number; }
  Cidr: { input: string; output: string; }
  DateTime: { input: string; output: string; }
  IpAddress: { input: string; output: string; }
  JSON: { input: unknown; output: unknown; }
  UInt32: { input: number; output: number; }
  UrlPath: { input: string; output: string; }
};

export type AnnounceSshCertificateAuthoritySuccessorInput = {
  description?: InputMaybe<Scalars['String']['input']>;
  ellipticCurve?: InputMaybe<SshEllipticCurve>;
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  id: Scalars['ID']['input'];
  key?: InputMaybe<Scalars['String']['input']>;
  keySize?: InputMaybe<Scalars['Int']['input']>;
  metadata?: InputMaybe<Scalars['String']['input']>;
  privateKeyType?: InputMaybe<SshKeyType>;
  signingAgent?: InputMaybe<Scalars['String']['input']>;
};

export type ApplyConfigurationInput = {
  digest?: InputMaybe<Scalars['String']['input']>;
  document: Scalars['JSON']['input'];
  force?: InputMaybe<Scalars['Boolean']['input']>;
  prune?: InputMaybe<Scalars['Boolean']['input']>;
};

export type ApprovalState =
  | 'approved'
  | 'expired'
  | 'open'
  | 'refused'
  | 'used'
  | 'withdrawn';

export type ApproveRequestInput = {
  id: Scalars['ID']['input'];
};

export type AttentionCode =
  | 'api_key_expires'
  | 'api_key_old'
  | 'approvals_wait'
  | 'expectation_fails'
  | 'ip_policy_deleted'
  | 'ip_policy_empty'
  | 'ip_policy_rules_end'
  | 'ip_policy_source_old'
  | 'ip_policy_source_waits'
  | 'ip_restriction_admits_nobody'
  | 'ip_restriction_module_admits_everybody'
  | 'ip_restriction_module_admits_nobody'
  | 'ip_restriction_module_disabled'
  | 'ip_restriction_would_refuse'
  | 'logins_fail'
  | 'oidc_client_secret_missing'
  | 'oidc_provider_fails'
  | 'requests_refused'
  | 'saml_certificate_expired'
  | 'saml_certificate_expires'
  | 'saml_login_prevented'
  | 'saml_metadata_expired'
  | 'saml_metadata_expires'
  | 'saml_metadata_keys_changed'
  | 'saml_metadata_old'
  | 'saml_request_certificate_expires'
  | 'ssh_authority_hand_over'
  | 'ssh_authority_old'
  | 'ssh_authority_retire'
  | 'ssh_certificates_expire'
  | 'ssh_certificates_expired'
  | 'tls_edge_expression_never_true'
  | 'tls_edge_ip_policy_empty'
  | 'webhook_fails';

export type AttentionSeverity =
  | 'critical'
  | 'notice'
  | 'warning';

export type AuditAction =
  | 'create'
  | 'delete'
  | 'refuse'
  | 'update';

export type AuditActorType =
  | 'api_key'
  | 'cli'
  | 'identity_provider'
  | 'person'
  | 'ssh_enrollment_token'
  | 'ssh_host_certificate'
  | 'system'
  | 'user';

export type AuditEventOrder =
  | 'created_at_asc'
  | 'created_at_desc';

export type AuditSurface =
  | 'cli'
  | 'dashboard'
  | 'gate'
  | 'graphql'
  | 'login'
  | 'rest'
  | 'server';

export type BlockPersonInput = {
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  force?: InputMaybe<Scalars['Boolean']['input']>;
  id: Scalars['ID']['input'];
};

export type ConfirmIpPolicySourceInput = {
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  force?: InputMaybe<Scalars['Boolean']['input']>;
  id: Scalars['ID']['input'];
};

export type CreateApiKeyInput = {
  description?: InputMaybe<Scalars['String']['input']>;
  expiresAt?: InputMaybe<Scalars['DateTime']['input']>;
  metadata?: InputMaybe<Scalars['String']['input']>;
  ownerId?: InputMaybe<Scalars['ID']['input']>;
  passAt?: InputMaybe<Scalars['ID']['input']>;
  passGroups?: InputMaybe<Array<Scalars['String']['input']>>;
  personal?: InputMaybe<Scalars['Boolean']['input']>;
  scopes?: InputMaybe<Array<Scalars['String']['input']>>;
};

export type CreateExpectationInput = {
  address?: InputMaybe<Scalars['String']['input']>;
  description?: InputMaybe<Scalars['String']['input']>;
  expected: ExpectedOutcome;
  groups?: InputMaybe<Array<Scalars['String']['input']>>;
  hostName?: InputMaybe<Scalars['String']['input']>;
  httpsEdgeId?: InputMaybe<Scalars['ID']['input']>;
  kind: ExpectationKind;
  logged?: InputMaybe<Scalars['Boolean']['input']>;
  metadata?: InputMaybe<Scalars['String']['input']>;
  method?: InputMaybe<Scalars['String']['input']>;
  name: Scalars['String']['input'];
  serverName?: InputMaybe<Scalars['String']['input']>;
  signedIn?: InputMaybe<Scalars['Boolean']['input']>;
  sshCertificateAuthorityId?: InputMaybe<Scalars['ID']['input']>;
  tlsEdgeId?: InputMaybe<Scalars['ID']['input']>;
  trafficType?: InputMaybe<IpRestrictionType>;
  url?: InputMaybe<Scalars['String']['input']>;
};

export type CreateHttpsEdgeInput = {
  description?: InputMaybe<Scalars['String']['input']>;
  forwardsKeys?: InputMaybe<Scalars['Boolean']['input']>;
  hostports?: InputMaybe<Array<Scalars['String']['input']>>;
  metadata?: InputMaybe<Scalars['String']['input']>;
  signsIdentity?: InputMaybe<Scalars['Boolean']['input']>;
};

export type CreateHttpsEdgeRouteInput = {
  backend?: InputMaybe<HttpsBackendModuleInput>;
  description?: InputMaybe<Scalars['String']['input']>;
  edgeId: Scalars['ID']['input'];
  force?: InputMaybe<Scalars['Boolean']['input']>;
  ipRestriction?: InputMaybe<HttpsIpRestrictionModuleInput>;
  match: Scalars['UrlPath']['input'];
  matchType: HttpsEdgeRouteMatchType;
  metadata?: InputMaybe<Scalars['String']['input']>;
};

export type CreateIpPolicyInput = {
  description?: InputMaybe<Scalars['String']['input']>;
  metadata?: InputMaybe<Scalars['String']['input']>;
};

export type CreateIpPolicyRuleInput = {
  action: IpPolicyRuleAction;
  cidr: Scalars['Cidr']['input'];
  description?: InputMaybe<Scalars['String']['input']>;
  expiresAt?: InputMaybe<Scalars['DateTime']['input']>;
  force?: InputMaybe<Scalars['Boolean']['input']>;
  ipPolicyId: Scalars['ID']['input'];
  metadata?: InputMaybe<Scalars['String']['input']>;
};

export type CreateIpPolicyRulesInput = {
  force?: InputMaybe<Scalars['Boolean']['input']>;
  ipPolicyId: Scalars['ID']['input'];
  rules: Array<NewIpPolicyRuleInput>;
};

export type CreateIpPolicySourceInput = {
  action: IpPolicyRuleAction;
  address: Scalars['String']['input'];
  description?: InputMaybe<Scalars['String']['input']>;
  force?: InputMaybe<Scalars['Boolean']['input']>;
  intervalSeconds?: InputMaybe<Scalars['Int']['input']>;
  ipPolicyId: Scalars['ID']['input'];
  jsonPath?: InputMaybe<Scalars['String']['input']>;
  kind: IpPolicySourceKind;
  metadata?: InputMaybe<Scalars['String']['input']>;
};

export type CreateIpRestrictionInput = {
  description?: InputMaybe<Scalars['String']['input']>;
  enforced?: InputMaybe<Scalars['Boolean']['input']>;
  force?: InputMaybe<Scalars['Boolean']['input']>;
  ipPolicyIds: Array<Scalars['ID']['input']>;
  metadata?: InputMaybe<Scalars['String']['input']>;
  type: IpRestrictionType;
};

export type CreatePersonalApiKeyInput = {
  description?: InputMaybe<Scalars['String']['input']>;
  expiresAt?: InputMaybe<Scalars['DateTime']['input']>;
  scopes?: InputMaybe<Array<Scalars['String']['input']>>;
};

export type CreateRoleInput = {
  description?: InputMaybe<Scalars['String']['input']>;
  metadata?: InputMaybe<Scalars['String']['input']>;
  name: Scalars['String']['input'];
  scopes: Array<Scalars['String']['input']>;
};

export type CreateSignInProviderInput = {
  authorizedEmailDomains?: InputMaybe<Array<Scalars['String']['input']>>;
  clientId?: InputMaybe<Scalars['String']['input']>;
  clientSecret?: InputMaybe<Scalars['String']['input']>;
  description?: InputMaybe<Scalars['String']['input']>;
  emailVerification?: InputMaybe<OidcEmailVerification>;
  enabled?: InputMaybe<Scalars['Boolean']['input']>;
  force?: InputMaybe<Scalars['Boolean']['input']>;
  groupsClaim?: InputMaybe<Scalars['String']['input']>;
  issuer?: InputMaybe<Scalars['String']['input']>;
  metadata?: InputMaybe<Scalars['String']['input']>;
  name: Scalars['String']['input'];
  refusesKeys?: InputMaybe<Scalars['Boolean']['input']>;
  roleMappings?: InputMaybe<Array<RoleMappingInput>>;
  saml?: InputMaybe<SignInProviderSamlInput>;
  scopes?: InputMaybe<Array<Scalars['String']['input']>>;
};

export type CreateSshCertificateAuthorityInAgentInput = {
  description?: InputMaybe<Scalars['String']['input']>;
  key?: InputMaybe<Scalars['String']['input']>;
  metadata?: InputMaybe<Scalars['String']['input']>;
  signingAgent: Scalars['String']['input'];
};

export type CreateSshCertificateAuthorityInput = {
  description?: InputMaybe<Scalars['String']['input']>;
  ellipticCurve?: InputMaybe<SshEllipticCurve>;
  keySize?: InputMaybe<Scalars['Int']['input']>;
  metadata?: InputMaybe<Scalars['String']['input']>;
  privateKeyType?: InputMaybe<SshKeyType>;
};

export type CreateSshEnrollmentTokenInput = {
  description?: InputMaybe<Scalars['String']['input']>;
  expiresAt?: InputMaybe<Scalars['DateTime']['input']>;
  force?: InputMaybe<Scalars['Boolean']['input']>;
  keyTypes?: InputMaybe<Array<SshKeyType>>;
  maxUses?: InputMaybe<Scalars['Int']['input']>;
  maxValidity?: InputMaybe<Scalars['Int']['input']>;
  metadata?: InputMaybe<Scalars['String']['input']>;
  principals: Array<Scalars['String']['input']>;
  sshCertificateAuthorityId: Scalars['ID']['input'];
};

export type CreateSshHostCertificateInput = {
  description?: InputMaybe<Scalars['String']['input']>;
  metadata?: InputMaybe<Scalars['String']['input']>;
  principals?: InputMaybe<Array<Scalars['String']['input']>>;
  publicKey: Scalars['String']['input'];
  sshCertificateAuthorityId: Scalars['ID']['input'];
  validAfter?: InputMaybe<Scalars['DateTime']['input']>;
  validUntil?: InputMaybe<Scalars['DateTime']['input']>;
};

export type CreateTlsEdgeInput = {
  backend?: InputMaybe<TlsBackendModuleInput>;
  description?: InputMaybe<Scalars['String']['input']>;
  hostports?: InputMaybe<Array<Scalars['String']['input']>>;
  ipRestriction?: InputMaybe<TlsIpRestrictionModuleInput>;
  metadata?: InputMaybe<Scalars['String']['input']>;
};

export type CreateTunnelGroupBackendInput = {
  description?: InputMaybe<Scalars['String']['input']>;
  labels?: InputMaybe<Scalars['JSON']['input']>;
  metadata?: InputMaybe<Scalars['String']['input']>;
  targets?: InputMaybe<Array<Scalars['String']['input']>>;
  tls?: InputMaybe<TargetTls>;
};

export type CreateWebhookInput = {
  description?: InputMaybe<Scalars['String']['input']>;
  enabled?: InputMaybe<Scalars['Boolean']['input']>;
  events?: InputMaybe<Array<Scalars['String']['input']>>;
  format?: InputMaybe<WebhookFormat>;
  metadata?: InputMaybe<Scalars['String']['input']>;
  objectIds?: InputMaybe<Array<Scalars['ID']['input']>>;
  url: Scalars['String']['input'];
};

export type DeleteApiKeyInput = {
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  force?: InputMaybe<Scalars['Boolean']['input']>;
  id: Scalars['ID']['input'];
};

export type DeleteApiKeysInput = {
  force?: InputMaybe<Scalars['Boolean']['input']>;
  objects: Array<DeletedObjectInput>;
};

export type DeleteExpectationInput = {
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  id: Scalars['ID']['input'];
};

export type DeleteHttpsEdgeInput = {
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  force?: InputMaybe<Scalars['Boolean']['input']>;
  id: Scalars['ID']['input'];
};

export type DeleteHttpsEdgeRouteBackendInput = {
  edgeId: Scalars['ID']['input'];
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  force?: InputMaybe<Scalars['Boolean']['input']>;
  routeId: Scalars['ID']['input'];
};

export type DeleteHttpsEdgeRouteInput = {
  edgeId: Scalars['ID']['input'];
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  force?: InputMaybe<Scalars['Boolean']['input']>;
  id: Scalars['ID']['input'];
};

export type DeleteHttpsEdgeRouteIpRestrictionInput = {
  edgeId: Scalars['ID']['input'];
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  force?: InputMaybe<Scalars['Boolean']['input']>;
  routeId: Scalars['ID']['input'];
};

export type DeleteIpPolicyInput = {
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  force?: InputMaybe<Scalars['Boolean']['input']>;
  id: Scalars['ID']['input'];
};

export type DeleteIpPolicyRuleInput = {
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  force?: InputMaybe<Scalars['Boolean']['input']>;
  id: Scalars['ID']['input'];
};

export type DeleteIpPolicyRulesInput = {
  force?: InputMaybe<Scalars['Boolean']['input']>;
  objects: Array<DeletedObjectInput>;
};

export type DeleteIpPolicySourceInput = {
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  force?: InputMaybe<Scalars['Boolean']['input']>;
  id: Scalars['ID']['input'];
};

export type DeleteIpRestrictionInput = {
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  force?: InputMaybe<Scalars['Boolean']['input']>;
  id: Scalars['ID']['input'];
};

export type DeleteOidcModuleInput = {
  edgeId: Scalars['ID']['input'];
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  force?: InputMaybe<Scalars['Boolean']['input']>;
  routeId: Scalars['ID']['input'];
};

export type DeletePersonalApiKeyInput = {
  id: Scalars['ID']['input'];
};

export type DeleteRoleInput = {
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  id: Scalars['ID']['input'];
};

export type DeleteSamlModuleInput = {
  edgeId: Scalars['ID']['input'];
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  force?: InputMaybe<Scalars['Boolean']['input']>;
  routeId: Scalars['ID']['input'];
};

export type DeleteSignInProviderInput = {
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  force?: InputMaybe<Scalars['Boolean']['input']>;
  id: Scalars['ID']['input'];
};

export type DeleteSshCertificateAuthorityInput = {
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  force?: InputMaybe<Scalars['Boolean']['input']>;
  id: Scalars['ID']['input'];
  revokeCertificates?: InputMaybe<Scalars['Boolean']['input']>;
};

export type DeleteSshEnrollmentTokenInput = {
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  force?: InputMaybe<Scalars['Boolean']['input']>;
  id: Scalars['ID']['input'];
};

export type DeleteSshHostCertificateInput = {
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  force?: InputMaybe<Scalars['Boolean']['input']>;
  id: Scalars['ID']['input'];
};

export type DeleteSshHostCertificatesInput = {
  force?: InputMaybe<Scalars['Boolean']['input']>;
  objects: Array<DeletedObjectInput>;
};

export type DeleteTlsEdgeBackendInput = {
  edgeId: Scalars['ID']['input'];
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  force?: InputMaybe<Scalars['Boolean']['input']>;
};

export type DeleteTlsEdgeInput = {
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  force?: InputMaybe<Scalars['Boolean']['input']>;
  id: Scalars['ID']['input'];
};

export type DeleteTlsEdgeIpRestrictionInput = {
  edgeId: Scalars['ID']['input'];
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  force?: InputMaybe<Scalars['Boolean']['input']>;
};

export type DeleteTlsEdgePolicyInput = {
  edgeId: Scalars['ID']['input'];
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  force?: InputMaybe<Scalars['Boolean']['input']>;
};

export type DeleteTunnelGroupBackendInput = {
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  id: Scalars['ID']['input'];
};

export type DeleteWebhookInput = {
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  id: Scalars['ID']['input'];
};

export type DeletedObjectInput = {
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  id: Scalars['ID']['input'];
};

export type EndDashboardSessionInput = {
  id: Scalars['ID']['input'];
};

export type EndDashboardSessionsInput = {
  ids: Array<Scalars['ID']['input']>;
};

export type EndLoginSessionInput = {
  id: Scalars['ID']['input'];
};

export type EndLoginSessionsInput = {
  ids?: InputMaybe<Array<Scalars['ID']['input']>>;
  routeId: Scalars['ID']['input'];
  user?: InputMaybe<Scalars['String']['input']>;
};

export type EndpointActionInput = {
  config?: InputMaybe<Scalars['JSON']['input']>;
  type: Scalars['String']['input'];
};

export type EndpointRuleInput = {
  actions: Array<EndpointActionInput>;
  expressions?: InputMaybe<Array<Scalars['String']['input']>>;
  name?: InputMaybe<Scalars['String']['input']>;
};

export type EnrollSshHostInput = {
  challenge: Scalars['String']['input'];
  description?: InputMaybe<Scalars['String']['input']>;
  principals: Array<Scalars['String']['input']>;
  publicKey: Scalars['String']['input'];
  signature: Scalars['String']['input'];
  token: Scalars['String']['input'];
  validUntil?: InputMaybe<Scalars['DateTime']['input']>;
};

export type ExpectationKind =
  | 'enrollment'
  | 'gate'
  | 'ip'
  | 'renewal'
  | 'tls';

export type ExpectationOutcome =
  | 'allowed'
  | 'login'
  | 'mixed'
  | 'refused'
  | 'unknown';

export type ExpectedOutcome =
  | 'allowed'
  | 'login'
  | 'refused';

export type GateCheck =
  | 'address'
  | 'groups'
  | 'host'
  | 'ip_restriction'
  | 'key'
  | 'login'
  | 'path'
  | 'request'
  | 'route';

export type GateEffect =
  | 'pass'
  | 'refuse'
  | 'warn';

export type GateProxy =
  | 'caddy'
  | 'envoy'
  | 'haproxy'
  | 'nginx'
  | 'traefik';

export type HandOverSshCertificateAuthorityInput = {
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  id: Scalars['ID']['input'];
};

export type HttpsBackendModuleInput = {
  backendId: Scalars['ID']['input'];
  enabled?: InputMaybe<Scalars['Boolean']['input']>;
};

export type HttpsEdgeRouteMatchType =
  | 'exact_path'
  | 'path_prefix';

export type HttpsIpRestrictionModuleInput = {
  enabled?: InputMaybe<Scalars['Boolean']['input']>;
  ipPolicyIds: Array<Scalars['ID']['input']>;
  mode?: InputMaybe<IpRestrictionMode>;
};

export type IdpMetadataWarningCode =
  | 'certificate_expired'
  | 'metadata_expired'
  | 'no_signing_certificate'
  | 'no_sso_location'
  | 'too_many_keys'
  | 'unreadable_certificate'
  | 'unreadable_expiry'
  | 'unsupported_key';

export type ImportConfigurationInput = {
  document: Scalars['JSON']['input'];
};

export type IpPolicyRuleAction =
  | 'allow'
  | 'deny';

export type IpPolicyRuleDraft = {
  action: IpPolicyRuleAction;
  cidr: Scalars['Cidr']['input'];
  expiresAt?: InputMaybe<Scalars['DateTime']['input']>;
};

export type IpPolicySourceKind =
  | 'dns'
  | 'json'
  | 'text';

export type IpRestrictionEffect =
  | 'pass'
  | 'refuse'
  | 'warn';

export type IpRestrictionMode =
  | 'require'
  | 'suffice';

export type IpRestrictionType =
  | 'agent'
  | 'api'
  | 'dashboard'
  | 'endpoints';

export type ListOrder =
  | 'created_at_asc'
  | 'created_at_desc'
  | 'updated_at_asc'
  | 'updated_at_desc';

export type NewIpPolicyRuleInput = {
  action: IpPolicyRuleAction;
  cidr: Scalars['Cidr']['input'];
  description?: InputMaybe<Scalars['String']['input']>;
  expiresAt?: InputMaybe<Scalars['DateTime']['input']>;
  metadata?: InputMaybe<Scalars['String']['input']>;
};

export type OidcEmailVerification =
  | 'required'
  | 'trusted';

export type PingWebhookInput = {
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  id: Scalars['ID']['input'];
};

export type PlanConfigurationInput = {
  document: Scalars['JSON']['input'];
  force?: InputMaybe<Scalars['Boolean']['input']>;
  prune?: InputMaybe<Scalars['Boolean']['input']>;
};

export type RefreshIpPolicySourceInput = {
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  id: Scalars['ID']['input'];
};

export type RefuseRequestInput = {
  id: Scalars['ID']['input'];
};

export type RenewSshHostCertificateInput = {
  challenge?: InputMaybe<Scalars['String']['input']>;
  force?: InputMaybe<Scalars['Boolean']['input']>;
  id: Scalars['ID']['input'];
  signature?: InputMaybe<Scalars['String']['input']>;
};

export type ReplaceHttpsEdgeRouteBackendInput = {
  backendId: Scalars['ID']['input'];
  edgeId: Scalars['ID']['input'];
  enabled?: InputMaybe<Scalars['Boolean']['input']>;
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  force?: InputMaybe<Scalars['Boolean']['input']>;
  routeId: Scalars['ID']['input'];
};

export type ReplaceHttpsEdgeRouteIpRestrictionInput = {
  edgeId: Scalars['ID']['input'];
  enabled?: InputMaybe<Scalars['Boolean']['input']>;
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  force?: InputMaybe<Scalars['Boolean']['input']>;
  ipPolicyIds: Array<Scalars['ID']['input']>;
  mode?: InputMaybe<IpRestrictionMode>;
  routeId: Scalars['ID']['input'];
};

export type ReplaceIpPolicyRulesInput = {
  force?: InputMaybe<Scalars['Boolean']['input']>;
  ipPolicyId: Scalars['ID']['input'];
  rules: Array<NewIpPolicyRuleInput>;
};

export type ReplaceOidcModuleInput = {
  authorizedEmailDomains?: InputMaybe<Array<Scalars['String']['input']>>;
  authorizedGroups?: InputMaybe<Array<Scalars['String']['input']>>;
  clientId?: InputMaybe<Scalars['String']['input']>;
  clientSecret?: InputMaybe<Scalars['String']['input']>;
  cookiePrefix?: InputMaybe<Scalars['String']['input']>;
  edgeId: Scalars['ID']['input'];
  emailVerification?: InputMaybe<OidcEmailVerification>;
  enabled?: InputMaybe<Scalars['Boolean']['input']>;
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  force?: InputMaybe<Scalars['Boolean']['input']>;
  groupsClaim?: InputMaybe<Scalars['String']['input']>;
  inactivityTimeout?: InputMaybe<Scalars['UInt32']['input']>;
  issuer?: InputMaybe<Scalars['String']['input']>;
  loginRouteId?: InputMaybe<Scalars['ID']['input']>;
  maximumDuration?: InputMaybe<Scalars['UInt32']['input']>;
  optionsPassthrough?: InputMaybe<Scalars['Boolean']['input']>;
  routeId: Scalars['ID']['input'];
  scopes?: InputMaybe<Array<Scalars['String']['input']>>;
};

export type ReplaceSamlModuleInput = {
  allowIdpInitiated?: InputMaybe<Scalars['Boolean']['input']>;
  authorizedGroups?: InputMaybe<Array<Scalars['String']['input']>>;
  cookiePrefix?: InputMaybe<Scalars['String']['input']>;
  edgeId: Scalars['ID']['input'];
  enabled?: InputMaybe<Scalars['Boolean']['input']>;
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  force?: InputMaybe<Scalars['Boolean']['input']>;
  forceAuthn?: InputMaybe<Scalars['Boolean']['input']>;
  idpEntityId?: InputMaybe<Scalars['String']['input']>;
  idpMetadata?: InputMaybe<Scalars['String']['input']>;
  idpMetadataUrl?: InputMaybe<Scalars['String']['input']>;
  inactivityTimeout?: InputMaybe<Scalars['UInt32']['input']>;
  loginRouteId?: InputMaybe<Scalars['ID']['input']>;
  maximumDuration?: InputMaybe<Scalars['UInt32']['input']>;
  nameidFormat?: InputMaybe<Scalars['String']['input']>;
  optionsPassthrough?: InputMaybe<Scalars['Boolean']['input']>;
  routeId: Scalars['ID']['input'];
};

export type ReplaceTlsEdgeBackendInput = {
  backendId: Scalars['ID']['input'];
  edgeId: Scalars['ID']['input'];
  enabled?: InputMaybe<Scalars['Boolean']['input']>;
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  force?: InputMaybe<Scalars['Boolean']['input']>;
};

export type ReplaceTlsEdgeIpRestrictionInput = {
  edgeId: Scalars['ID']['input'];
  enabled?: InputMaybe<Scalars['Boolean']['input']>;
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  force?: InputMaybe<Scalars['Boolean']['input']>;
  ipPolicyIds: Array<Scalars['ID']['input']>;
};

export type ReplaceTlsEdgePolicyInput = {
  edgeId: Scalars['ID']['input'];
  enabled?: InputMaybe<Scalars['Boolean']['input']>;
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  force?: InputMaybe<Scalars['Boolean']['input']>;
  inbound?: InputMaybe<Array<EndpointRuleInput>>;
  outbound?: InputMaybe<Array<EndpointRuleInput>>;
};

export type ResendWebhookDeliveriesInput = {
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  id: Scalars['ID']['input'];
  messageIds?: InputMaybe<Array<Scalars['ID']['input']>>;
};

export type RestoreObjectInput = {
  eventId: Scalars['ID']['input'];
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  force?: InputMaybe<Scalars['Boolean']['input']>;
};

export type RetireSshCertificateAuthorityInput = {
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  id: Scalars['ID']['input'];
  revokeCertificates?: InputMaybe<Scalars['Boolean']['input']>;
};

export type RoleMappingInput = {
  email?: InputMaybe<Scalars['String']['input']>;
  everybody?: InputMaybe<Scalars['Boolean']['input']>;
  group?: InputMaybe<Scalars['String']['input']>;
  role: Scalars['String']['input'];
};

export type RotateSamlKeyInput = {
  edgeId?: InputMaybe<Scalars['ID']['input']>;
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  id: Scalars['ID']['input'];
  step: SamlKeyStep;
};

export type RotateWebhookSecretInput = {
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  id: Scalars['ID']['input'];
  overlapSeconds?: InputMaybe<Scalars['Int']['input']>;
};

export type SamlKeyState =
  | 'announced'
  | 'settled'
  | 'taken_over';

export type SamlKeyStep =
  | 'announce'
  | 'drop_former'
  | 'take_over';

export type SessionOrder =
  | 'created_at_asc'
  | 'created_at_desc'
  | 'last_used_at_asc'
  | 'last_used_at_desc';

export type SignInProtocol =
  | 'oidc'
  | 'saml';

export type SignInProviderSamlInput = {
  emailAttribute?: InputMaybe<Scalars['String']['input']>;
  groupsAttribute?: InputMaybe<Scalars['String']['input']>;
  idpEntityId?: InputMaybe<Scalars['String']['input']>;
  idpMetadata?: InputMaybe<Scalars['String']['input']>;
  idpMetadataUrl?: InputMaybe<Scalars['String']['input']>;
  nameAttribute?: InputMaybe<Scalars['String']['input']>;
  nameidFormat?: InputMaybe<Scalars['String']['input']>;
  subjectAttribute?: InputMaybe<Scalars['String']['input']>;
};

export type SshCertificateAuthorityState =
  | 'active'
  | 'handed_over'
  | 'retired'
  | 'successor_announced';

export type SshEllipticCurve =
  | 'p256'
  | 'p384'
  | 'p521';

export type SshHostCertificateOrder =
  | 'created_at_asc'
  | 'created_at_desc'
  | 'updated_at_asc'
  | 'updated_at_desc'
  | 'valid_until_asc'
  | 'valid_until_desc';

export type SshKeyType =
  | 'ecdsa'
  | 'ed25519'
  | 'rsa';

export type SshRevocationOrder =
  | 'revoked_at_asc'
  | 'revoked_at_desc'
  | 'valid_until_asc'
  | 'valid_until_desc';

export type TargetTls =
  | 'none'
  | 'passthrough';

export type TlsBackendModuleInput = {
  backendId: Scalars['ID']['input'];
  enabled?: InputMaybe<Scalars['Boolean']['input']>;
};

export type TlsConnectionInput = {
  clientIp: Scalars['IpAddress']['input'];
  serverName?: InputMaybe<Scalars['String']['input']>;
  time?: InputMaybe<Scalars['DateTime']['input']>;
  variables?: InputMaybe<Scalars['JSON']['input']>;
};

export type TlsIpRestrictionModuleInput = {
  enabled?: InputMaybe<Scalars['Boolean']['input']>;
  ipPolicyIds: Array<Scalars['ID']['input']>;
};

export type TlsPolicyDirection =
  | 'inbound'
  | 'outbound';

export type TlsPolicyDraft = {
  inbound?: InputMaybe<Array<EndpointRuleInput>>;
  outbound?: InputMaybe<Array<EndpointRuleInput>>;
};

export type TlsPolicyEffect =
  | 'pass'
  | 'refuse'
  | 'unknown'
  | 'warn';

export type TlsPolicyProblemSeverity =
  | 'error'
  | 'warning';

export type UnblockPersonInput = {
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  id: Scalars['ID']['input'];
};

export type UndoRequestInput = {
  force?: InputMaybe<Scalars['Boolean']['input']>;
  requestId: Scalars['ID']['input'];
};

export type UpdateApiKeyInput = {
  description?: InputMaybe<Scalars['String']['input']>;
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  id: Scalars['ID']['input'];
  metadata?: InputMaybe<Scalars['String']['input']>;
};

export type UpdateApprovalSettingsInput = {
  force?: InputMaybe<Scalars['Boolean']['input']>;
  required: Scalars['Boolean']['input'];
};

export type UpdateExpectationInput = {
  address?: InputMaybe<Scalars['String']['input']>;
  description?: InputMaybe<Scalars['String']['input']>;
  expected?: InputMaybe<ExpectedOutcome>;
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  groups?: InputMaybe<Array<Scalars['String']['input']>>;
  hostName?: InputMaybe<Scalars['String']['input']>;
  httpsEdgeId?: InputMaybe<Scalars['ID']['input']>;
  id: Scalars['ID']['input'];
  logged?: InputMaybe<Scalars['Boolean']['input']>;
  metadata?: InputMaybe<Scalars['String']['input']>;
  method?: InputMaybe<Scalars['String']['input']>;
  name?: InputMaybe<Scalars['String']['input']>;
  serverName?: InputMaybe<Scalars['String']['input']>;
  signedIn?: InputMaybe<Scalars['Boolean']['input']>;
  sshCertificateAuthorityId?: InputMaybe<Scalars['ID']['input']>;
  tlsEdgeId?: InputMaybe<Scalars['ID']['input']>;
  trafficType?: InputMaybe<IpRestrictionType>;
  url?: InputMaybe<Scalars['String']['input']>;
};

export type UpdateHttpsEdgeInput = {
  description?: InputMaybe<Scalars['String']['input']>;
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  force?: InputMaybe<Scalars['Boolean']['input']>;
  forwardsKeys?: InputMaybe<Scalars['Boolean']['input']>;
  hostports?: InputMaybe<Array<Scalars['String']['input']>>;
  id: Scalars['ID']['input'];
  metadata?: InputMaybe<Scalars['String']['input']>;
  signsIdentity?: InputMaybe<Scalars['Boolean']['input']>;
};

export type UpdateHttpsEdgeRouteInput = {
  backend?: InputMaybe<HttpsBackendModuleInput>;
  description?: InputMaybe<Scalars['String']['input']>;
  edgeId: Scalars['ID']['input'];
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  force?: InputMaybe<Scalars['Boolean']['input']>;
  id: Scalars['ID']['input'];
  ipRestriction?: InputMaybe<HttpsIpRestrictionModuleInput>;
  match?: InputMaybe<Scalars['UrlPath']['input']>;
  matchType?: InputMaybe<HttpsEdgeRouteMatchType>;
  metadata?: InputMaybe<Scalars['String']['input']>;
};

export type UpdateIpPolicyInput = {
  description?: InputMaybe<Scalars['String']['input']>;
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  id: Scalars['ID']['input'];
  metadata?: InputMaybe<Scalars['String']['input']>;
};

export type UpdateIpPolicyRuleInput = {
  action?: InputMaybe<IpPolicyRuleAction>;
  cidr?: InputMaybe<Scalars['Cidr']['input']>;
  description?: InputMaybe<Scalars['String']['input']>;
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  expiresAt?: InputMaybe<Scalars['DateTime']['input']>;
  force?: InputMaybe<Scalars['Boolean']['input']>;
  id: Scalars['ID']['input'];
  metadata?: InputMaybe<Scalars['String']['input']>;
};

export type UpdateIpPolicySourceInput = {
  action?: InputMaybe<IpPolicyRuleAction>;
  address?: InputMaybe<Scalars['String']['input']>;
  description?: InputMaybe<Scalars['String']['input']>;
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  force?: InputMaybe<Scalars['Boolean']['input']>;
  id: Scalars['ID']['input'];
  intervalSeconds?: InputMaybe<Scalars['Int']['input']>;
  jsonPath?: InputMaybe<Scalars['String']['input']>;
  metadata?: InputMaybe<Scalars['String']['input']>;
};

export type UpdateIpRestrictionInput = {
  description?: InputMaybe<Scalars['String']['input']>;
  enforced?: InputMaybe<Scalars['Boolean']['input']>;
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  force?: InputMaybe<Scalars['Boolean']['input']>;
  id: Scalars['ID']['input'];
  ipPolicyIds?: InputMaybe<Array<Scalars['ID']['input']>>;
  metadata?: InputMaybe<Scalars['String']['input']>;
};

export type UpdateRoleInput = {
  description?: InputMaybe<Scalars['String']['input']>;
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  force?: InputMaybe<Scalars['Boolean']['input']>;
  id: Scalars['ID']['input'];
  metadata?: InputMaybe<Scalars['String']['input']>;
  scopes?: InputMaybe<Array<Scalars['String']['input']>>;
};

export type UpdateSignInProviderInput = {
  authorizedEmailDomains?: InputMaybe<Array<Scalars['String']['input']>>;
  clientId?: InputMaybe<Scalars['String']['input']>;
  clientSecret?: InputMaybe<Scalars['String']['input']>;
  description?: InputMaybe<Scalars['String']['input']>;
  emailVerification?: InputMaybe<OidcEmailVerification>;
  enabled?: InputMaybe<Scalars['Boolean']['input']>;
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  force?: InputMaybe<Scalars['Boolean']['input']>;
  groupsClaim?: InputMaybe<Scalars['String']['input']>;
  id: Scalars['ID']['input'];
  metadata?: InputMaybe<Scalars['String']['input']>;
  name?: InputMaybe<Scalars['String']['input']>;
  refusesKeys?: InputMaybe<Scalars['Boolean']['input']>;
  roleMappings?: InputMaybe<Array<RoleMappingInput>>;
  saml?: InputMaybe<SignInProviderSamlInput>;
  scopes?: InputMaybe<Array<Scalars['String']['input']>>;
};

export type UpdateSshCertificateAuthorityInput = {
  description?: InputMaybe<Scalars['String']['input']>;
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  id: Scalars['ID']['input'];
  metadata?: InputMaybe<Scalars['String']['input']>;
};

export type UpdateSshEnrollmentTokenInput = {
  description?: InputMaybe<Scalars['String']['input']>;
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  id: Scalars['ID']['input'];
  metadata?: InputMaybe<Scalars['String']['input']>;
};

export type UpdateSshHostCertificateInput = {
  description?: InputMaybe<Scalars['String']['input']>;
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  id: Scalars['ID']['input'];
  metadata?: InputMaybe<Scalars['String']['input']>;
};

export type UpdateTlsEdgeInput = {
  backend?: InputMaybe<TlsBackendModuleInput>;
  description?: InputMaybe<Scalars['String']['input']>;
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  force?: InputMaybe<Scalars['Boolean']['input']>;
  hostports?: InputMaybe<Array<Scalars['String']['input']>>;
  id: Scalars['ID']['input'];
  ipRestriction?: InputMaybe<TlsIpRestrictionModuleInput>;
  metadata?: InputMaybe<Scalars['String']['input']>;
};

export type UpdateTunnelGroupBackendInput = {
  description?: InputMaybe<Scalars['String']['input']>;
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  id: Scalars['ID']['input'];
  labels?: InputMaybe<Scalars['JSON']['input']>;
  metadata?: InputMaybe<Scalars['String']['input']>;
  targets?: InputMaybe<Array<Scalars['String']['input']>>;
  tls?: InputMaybe<TargetTls>;
};

export type UpdateWebhookInput = {
  description?: InputMaybe<Scalars['String']['input']>;
  enabled?: InputMaybe<Scalars['Boolean']['input']>;
  events?: InputMaybe<Array<Scalars['String']['input']>>;
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  format?: InputMaybe<WebhookFormat>;
  id: Scalars['ID']['input'];
  metadata?: InputMaybe<Scalars['String']['input']>;
  objectIds?: InputMaybe<Array<Scalars['ID']['input']>>;
  url?: InputMaybe<Scalars['String']['input']>;
};

export type WebhookDeliveryState =
  | 'delivered'
  | 'set_aside'
  | 'waiting';

export type WebhookFormat =
  | 'ntfy'
  | 'slack'
  | 'standard'
  | 'teams';

export type WithdrawRequestInput = {
  id: Scalars['ID']['input'];
};

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
};

/** A new API key. */
export type CreateApiKeyInput = {
  /** What the object is, in words; at most 255 bytes of UTF-8. */
  description?: InputMaybe<Scalars['String']['input']>;
  /** Machine-readable data of your own, never interpreted; at most 4096 bytes of UTF-8. */
  metadata?: InputMaybe<Scalars['String']['input']>;
};

/** A new IP policy. */
export type CreateIpPolicyInput = {
  /** What the object is, in words; at most 255 bytes of UTF-8. */
  description?: InputMaybe<Scalars['String']['input']>;
  /** Machine-readable data of your own, never interpreted; at most 4096 bytes of UTF-8. */
  metadata?: InputMaybe<Scalars['String']['input']>;
};

/** A new rule of an IP policy. */
export type CreateIpPolicyRuleInput = {
  /** What to do with its addresses. */
  action: IpPolicyRuleAction;
  /** The range; unique within the policy. */
  cidr: Scalars['Cidr']['input'];
  /** What the object is, in words; at most 255 bytes of UTF-8. */
  description?: InputMaybe<Scalars['String']['input']>;
  /** The policy to add the rule to. */
  ipPolicyId: Scalars['ID']['input'];
  /** Machine-readable data of your own, never interpreted; at most 4096 bytes of UTF-8. */
  metadata?: InputMaybe<Scalars['String']['input']>;
};

/** A new IP restriction. */
export type CreateIpRestrictionInput = {
  /** What the object is, in words; at most 255 bytes of UTF-8. */
  description?: InputMaybe<Scalars['String']['input']>;
  /** Whether to refuse traffic (true) or only to warn (false, the default). */
  enforced?: InputMaybe<Scalars['Boolean']['input']>;
  /** The policies that decide, in order; 1 to 200. */
  ipPolicyIds: Array<Scalars['ID']['input']>;
  /** Machine-readable data of your own, never interpreted; at most 4096 bytes of UTF-8. */
  metadata?: InputMaybe<Scalars['String']['input']>;
  /** What traffic to restrict; it cannot be changed later. */
  type: IpRestrictionType;
};

/** A new TLS edge. */
export type CreateTlsEdgeInput = {
  /** What the object is, in words; at most 255 bytes of UTF-8. */
  description?: InputMaybe<Scalars['String']['input']>;
  /** The hosts and ports to answer on, as `host:port`, with the host in lower case or `*.` before it for any one label; at most 100. None when left out. */
  hostports?: InputMaybe<Array<Scalars['String']['input']>>;
  /** Machine-readable data of your own, never interpreted; at most 4096 bytes of UTF-8. */
  metadata?: InputMaybe<Scalars['String']['input']>;
};

/** A new tunnel-group backend. */
export type CreateTunnelGroupBackendInput = {
  /** What the object is, in words; at most 255 bytes of UTF-8. */
  description?: InputMaybe<Scalars['String']['input']>;
  /** The labels that a tunnel must have: a map of text to text, at most 64; keys and values without "=", at most 255 bytes of UTF-8 each. None when left out. */
  labels?: InputMaybe<Scalars['JSON']['input']>;
  /** Machine-readable data of your own, never interpreted; at most 4096 bytes of UTF-8. */
  metadata?: InputMaybe<Scalars['String']['input']>;
};

/** Which object to delete. */
export type DeleteApiKeyInput = {
  /** The version that you have seen. If the object has another one by now, nothing changes. */
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  /** Identifier of the object. */
  id: Scalars['ID']['input'];
};

/** Which object to delete. */
export type DeleteIpPolicyInput = {
  /** The version that you have seen. If the object has another one by now, nothing changes. */
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  /** Identifier of the object. */
  id: Scalars['ID']['input'];
};

/** Which object to delete. */
export type DeleteIpPolicyRuleInput = {
  /** The version that you have seen. If the object has another one by now, nothing changes. */
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  /** Identifier of the object. */
  id: Scalars['ID']['input'];
};

/** Which object to delete. */
export type DeleteIpRestrictionInput = {
  /** The version that you have seen. If the object has another one by now, nothing changes. */
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  /** Identifier of the object. */
  id: Scalars['ID']['input'];
};

/** Which edge to take the backend module from. */
export type DeleteTlsEdgeBackendInput = {
  /** Identifier of the edge. */
  edgeId: Scalars['ID']['input'];
  /** The version of the edge that you have seen. If it has another one by now, nothing changes. */
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
};

/** Which object to delete. */
export type DeleteTlsEdgeInput = {
  /** The version that you have seen. If the object has another one by now, nothing changes. */
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  /** Identifier of the object. */
  id: Scalars['ID']['input'];
};

/** Which edge to take the policy module from. */
export type DeleteTlsEdgePolicyInput = {
  /** Identifier of the edge. */
  edgeId: Scalars['ID']['input'];
  /** The version of the edge that you have seen. If it has another one by now, nothing changes. */
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
};

/** Which object to delete. */
export type DeleteTunnelGroupBackendInput = {
  /** The version that you have seen. If the object has another one by now, nothing changes. */
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  /** Identifier of the object. */
  id: Scalars['ID']['input'];
};

/** What a rule is to do with the traffic that it applies to. */
export type EndpointActionInput = {
  /** Configuration of the action: an object of at most 57 levels. `log` needs an object in `metadata`; `deny` takes none; `restrict-ips` takes `enforce` (whether to close the connection), and lists of at most 1000 entries in `allow` and `deny` (ranges in CIDR notation) and `ip_policies` (IP policies of this account). */
  config?: InputMaybe<Scalars['JSON']['input']>;
  /** Type of the action: lower-case words with dashes between them. `log`, `deny` and `restrict-ips` are checked; other types are kept as they are. */
  type: Scalars['String']['input'];
};

/** A rule that a traffic policy is to have. */
export type EndpointRuleInput = {
  /** What to do, in order; 1 to 20. */
  actions: Array<EndpointActionInput>;
  /** CEL expressions that must all be true for the rule to apply; at most 50. */
  expressions?: InputMaybe<Array<Scalars['String']['input']>>;
  /** Name of the rule. */
  name?: InputMaybe<Scalars['String']['input']>;
};

/** What a rule does with the addresses of its range. */
export type IpPolicyRuleAction =
  /** Lets the addresses pass, unless another rule denies them. */
  | 'allow'
  /** Keeps the addresses out, whatever else allows them. */
  | 'deny';

/** What a restriction does with traffic from an address. */
export type IpRestrictionEffect =
  /** Lets it pass. */
  | 'pass'
  /** Refuses it. */
  | 'refuse'
  /** Lets it pass with a warning, because the restriction is not enforced. */
  | 'warn';

/** What traffic a restriction applies to. */
export type IpRestrictionType =
  /** Sessions of agents. */
  | 'agent'
  /** Requests to the management API. */
  | 'api'
  /** Logins to the dashboard. */
  | 'dashboard'
  /** Public traffic to the endpoints. */
  | 'endpoints';

/** The backend module that an edge is to have. */
export type ReplaceTlsEdgeBackendInput = {
  /** The tunnel-group backend that is to serve the traffic. */
  backendId: Scalars['ID']['input'];
  /** Identifier of the edge. */
  edgeId: Scalars['ID']['input'];
  /** Whether the module is applied to traffic; true when left out. */
  enabled?: InputMaybe<Scalars['Boolean']['input']>;
  /** The version of the edge that you have seen. If it has another one by now, nothing changes. */
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
};

/** The policy module that an edge is to have. */
export type ReplaceTlsEdgePolicyInput = {
  /** Identifier of the edge. */
  edgeId: Scalars['ID']['input'];
  /** Whether the module is applied to traffic; true when left out. */
  enabled?: InputMaybe<Scalars['Boolean']['input']>;
  /** The version of the edge that you have seen. If it has another one by now, nothing changes. */
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  /** Rules for what comes in, in order; at most 100, and 262144 bytes of JSON in both directions together. Not set when left out. */
  inbound?: InputMaybe<Array<EndpointRuleInput>>;
  /** Rules for what goes out, in order; at most 100, and 262144 bytes of JSON in both directions together. Not set when left out. */
  outbound?: InputMaybe<Array<EndpointRuleInput>>;
};

/** A change to an API key. What is left out keeps its value. */
export type UpdateApiKeyInput = {
  /** What the object is, in words; at most 255 bytes of UTF-8. */
  description?: InputMaybe<Scalars['String']['input']>;
  /** The version that you have seen. If the object has another one by now, nothing changes. */
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  /** Identifier of the object. */
  id: Scalars['ID']['input'];
  /** Machine-readable data of your own, never interpreted; at most 4096 bytes of UTF-8. */
  metadata?: InputMaybe<Scalars['String']['input']>;
};

/** A change to an IP policy. What is left out keeps its value. */
export type UpdateIpPolicyInput = {
  /** What the object is, in words; at most 255 bytes of UTF-8. */
  description?: InputMaybe<Scalars['String']['input']>;
  /** The version that you have seen. If the object has another one by now, nothing changes. */
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  /** Identifier of the object. */
  id: Scalars['ID']['input'];
  /** Machine-readable data of your own, never interpreted; at most 4096 bytes of UTF-8. */
  metadata?: InputMaybe<Scalars['String']['input']>;
};

/** A change to a rule. What is left out keeps its value. */
export type UpdateIpPolicyRuleInput = {
  /** What to do with its addresses. */
  action?: InputMaybe<IpPolicyRuleAction>;
  /** The range; unique within the policy. */
  cidr?: InputMaybe<Scalars['Cidr']['input']>;
  /** What the object is, in words; at most 255 bytes of UTF-8. */
  description?: InputMaybe<Scalars['String']['input']>;
  /** The version that you have seen. If the object has another one by now, nothing changes. */
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  /** Identifier of the object. */
  id: Scalars['ID']['input'];
  /** Machine-readable data of your own, never interpreted; at most 4096 bytes of UTF-8. */
  metadata?: InputMaybe<Scalars['String']['input']>;
};

/** A change to an IP restriction. What is left out keeps its value. */
export type UpdateIpRestrictionInput = {
  /** What the object is, in words; at most 255 bytes of UTF-8. */
  description?: InputMaybe<Scalars['String']['input']>;
  /** Whether to refuse traffic (true) or only to warn (false). */
  enforced?: InputMaybe<Scalars['Boolean']['input']>;
  /** The version that you have seen. If the object has another one by now, nothing changes. */
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  /** Identifier of the object. */
  id: Scalars['ID']['input'];
  /** The policies that decide, in order; 1 to 200. They replace the list. */
  ipPolicyIds?: InputMaybe<Array<Scalars['ID']['input']>>;
  /** Machine-readable data of your own, never interpreted; at most 4096 bytes of UTF-8. */
  metadata?: InputMaybe<Scalars['String']['input']>;
};

/** A change to a TLS edge. What is left out keeps its value. Modules have mutations of their own. */
export type UpdateTlsEdgeInput = {
  /** What the object is, in words; at most 255 bytes of UTF-8. */
  description?: InputMaybe<Scalars['String']['input']>;
  /** The version that you have seen. If the object has another one by now, nothing changes. */
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  /** The hosts and ports to answer on, as `host:port`, with the host in lower case or `*.` before it for any one label; at most 100. They replace the list. */
  hostports?: InputMaybe<Array<Scalars['String']['input']>>;
  /** Identifier of the object. */
  id: Scalars['ID']['input'];
  /** Machine-readable data of your own, never interpreted; at most 4096 bytes of UTF-8. */
  metadata?: InputMaybe<Scalars['String']['input']>;
};

/** A change to a tunnel-group backend. What is left out keeps its value. */
export type UpdateTunnelGroupBackendInput = {
  /** What the object is, in words; at most 255 bytes of UTF-8. */
  description?: InputMaybe<Scalars['String']['input']>;
  /** The version that you have seen. If the object has another one by now, nothing changes. */
  expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  /** Identifier of the object. */
  id: Scalars['ID']['input'];
  /** The labels that a tunnel must have: a map of text to text, at most 64; keys and values without "=", at most 255 bytes of UTF-8 each. They replace all labels. */
  labels?: InputMaybe<Scalars['JSON']['input']>;
  /** Machine-readable data of your own, never interpreted; at most 4096 bytes of UTF-8. */
  metadata?: InputMaybe<Scalars['String']['input']>;
};

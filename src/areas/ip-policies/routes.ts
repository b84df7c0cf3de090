// The REST routes of the area.

import { route } from '../../surfaces/rest/route.ts';
import {
  CreateIpPolicyDocument,
  CreateIpPolicyRuleDocument,
  CreateIpPolicySourceDocument,
  DeleteIpPolicyDocument,
  DeleteIpPolicyRuleDocument,
  DeleteIpPolicySourceDocument,
  GetIpPolicyDocument,
  GetIpPolicyRuleDocument,
  GetIpPolicySourceDocument,
  ListIpPoliciesDocument,
  ListIpPolicyRulesDocument,
  ListIpPolicySourcesDocument,
  ReplaceIpPolicyRulesDocument,
  UpdateIpPolicyDocument,
  UpdateIpPolicyRuleDocument,
  UpdateIpPolicySourceDocument,
} from './operations.generated.ts';

export const routes = [
  route('POST /ip_policies', CreateIpPolicyDocument),
  route('GET /ip_policies', ListIpPoliciesDocument),
  route('GET /ip_policies/{id}', GetIpPolicyDocument),
  route('PATCH /ip_policies/{id}', UpdateIpPolicyDocument),
  route('DELETE /ip_policies/{id}', DeleteIpPolicyDocument),
  route('PUT /ip_policies/{id}/rules', ReplaceIpPolicyRulesDocument),

  route('POST /ip_policy_rules', CreateIpPolicyRuleDocument),
  route('GET /ip_policy_rules', ListIpPolicyRulesDocument),
  route('GET /ip_policy_rules/{id}', GetIpPolicyRuleDocument),
  route('PATCH /ip_policy_rules/{id}', UpdateIpPolicyRuleDocument),
  route('DELETE /ip_policy_rules/{id}', DeleteIpPolicyRuleDocument),

  route('POST /ip_policy_sources', CreateIpPolicySourceDocument),
  route('GET /ip_policy_sources', ListIpPolicySourcesDocument),
  route('GET /ip_policy_sources/{id}', GetIpPolicySourceDocument),
  route('PATCH /ip_policy_sources/{id}', UpdateIpPolicySourceDocument),
  route('DELETE /ip_policy_sources/{id}', DeleteIpPolicySourceDocument),
];

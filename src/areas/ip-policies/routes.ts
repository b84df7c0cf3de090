// The REST routes of the area.

import { route } from '../../surfaces/rest/route.ts';
import * as documents from './operations.generated.ts';

export const routes = [
  route('POST /ip_policies', documents.CreateIpPolicyDocument),
  route('GET /ip_policies', documents.ListIpPoliciesDocument),
  route('GET /ip_policies/{id}', documents.GetIpPolicyDocument),
  route('PATCH /ip_policies/{id}', documents.UpdateIpPolicyDocument),
  route('DELETE /ip_policies/{id}', documents.DeleteIpPolicyDocument),
  route('PUT /ip_policies/{id}/rules', documents.ReplaceIpPolicyRulesDocument),

  route('POST /ip_policy_rules', documents.CreateIpPolicyRuleDocument),
  route('GET /ip_policy_rules', documents.ListIpPolicyRulesDocument),
  route('GET /ip_policy_rules/{id}', documents.GetIpPolicyRuleDocument),
  route('PATCH /ip_policy_rules/{id}', documents.UpdateIpPolicyRuleDocument),
  route('DELETE /ip_policy_rules/{id}', documents.DeleteIpPolicyRuleDocument),

  route('POST /ip_policy_sources', documents.CreateIpPolicySourceDocument),
  route('GET /ip_policy_sources', documents.ListIpPolicySourcesDocument),
  route('GET /ip_policy_sources/{id}', documents.GetIpPolicySourceDocument),
  route('PATCH /ip_policy_sources/{id}', documents.UpdateIpPolicySourceDocument),
  route('DELETE /ip_policy_sources/{id}', documents.DeleteIpPolicySourceDocument),
];

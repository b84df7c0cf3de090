-- DropIndex
DROP INDEX "Expectation_trafficType_accountId_id_idx";

-- DropIndex
DROP INDEX "Expectation_sshCertificateAuthorityId_id_idx";

-- DropIndex
DROP INDEX "Expectation_tlsEdgeId_id_idx";

-- DropIndex
DROP INDEX "Expectation_httpsEdgeId_id_idx";

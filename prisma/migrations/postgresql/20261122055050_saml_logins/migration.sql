-- CreateTable
CREATE TABLE "SamlLogin" (
    "id" TEXT NOT NULL,
    "accountId" TEXT NOT NULL,
    "routeId" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "browserHash" TEXT,
    "requestId" TEXT,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "expiresAt" TIMESTAMP(3) NOT NULL,
    "ticketHash" TEXT,
    "target" TEXT NOT NULL DEFAULT '',
    "person" TEXT NOT NULL DEFAULT '',

    CONSTRAINT "SamlLogin_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "SamlUsedAssertion" (
    "accountId" TEXT NOT NULL,
    "routeId" TEXT NOT NULL,
    "idHash" TEXT NOT NULL,
    "usableUntil" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "SamlUsedAssertion_pkey" PRIMARY KEY ("routeId","idHash")
);

-- CreateTable
CREATE TABLE "SamlSession" (
    "tokenHash" TEXT NOT NULL,
    "accountId" TEXT NOT NULL,
    "routeId" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "issuer" TEXT NOT NULL,
    "person" TEXT NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "endsAt" TIMESTAMP(3) NOT NULL,
    "lastUsedAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "SamlSession_pkey" PRIMARY KEY ("tokenHash")
);

-- CreateIndex
CREATE UNIQUE INDEX "SamlLogin_ticketHash_key" ON "SamlLogin"("ticketHash");

-- CreateIndex
CREATE INDEX "SamlLogin_routeId_expiresAt_idx" ON "SamlLogin"("routeId", "expiresAt");

-- CreateIndex
CREATE INDEX "SamlLogin_expiresAt_idx" ON "SamlLogin"("expiresAt");

-- CreateIndex
CREATE INDEX "SamlUsedAssertion_usableUntil_idx" ON "SamlUsedAssertion"("usableUntil");

-- CreateIndex
CREATE INDEX "SamlSession_routeId_idx" ON "SamlSession"("routeId");

-- CreateIndex
CREATE INDEX "SamlSession_endsAt_idx" ON "SamlSession"("endsAt");

-- AddForeignKey
ALTER TABLE "SamlLogin" ADD CONSTRAINT "SamlLogin_routeId_fkey" FOREIGN KEY ("routeId") REFERENCES "SamlModule"("routeId") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "SamlUsedAssertion" ADD CONSTRAINT "SamlUsedAssertion_routeId_fkey" FOREIGN KEY ("routeId") REFERENCES "SamlModule"("routeId") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "SamlSession" ADD CONSTRAINT "SamlSession_routeId_fkey" FOREIGN KEY ("routeId") REFERENCES "SamlModule"("routeId") ON DELETE CASCADE ON UPDATE CASCADE;

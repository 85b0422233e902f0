/**
 * Names under which counties publish the parcel number, plain (see `plainName`), the most certain first. Together the three lists hold
 * every spelling that OpenAddresses' catalogue of 1,133 parcel layers maps to it.
 */
export const parcelNumberNames = words(`
  apn apnid apntext apnstring apnchr apntotal apnspace azapn parcelapn parcelnumb parcelnumber parcelno parcelnum parcelnb parcelnbr
  parno parcno parcelid parcelcode parid pclid prclid prclnbr prclno gisparcelnumber gisparcelid countypin cntypin taxparcelid
  taxparcelnumber taxparcelno taxparceli taxpin primarypin fullpin gispin gpin pin14 pin pin10 pinid pinnum pinnumber pidn pidnum pid
  ppin pcn upc tms tmsnumber taxmapnumber taxmapid tmk maptaxlot taxlotid ortaxlot taxlot blklot mapblolot mapblklot mapbklot mapblocklot mblu
  mbl maplot maplotno ml mappar mapparid mapparcel printkey sbl folio foliono folionumber strap span ssl bbl parid hcadnum schednum schedulenu
  scheduleno geocode pamspin statepin stateid stateparcelid stparcelid lrsparid ain asmt assessmentno accountno acctid propid
  propertyid assessmentnum assessmentnumber catastro numcatastro
`);

/** Names that may mean something else: used only where no better column is there and the values look like parcel numbers. */
export const doubtfulParcelNumberNames = words(`
  parcel name tag tlid parnum tscparcelnumber record str geoid taxid gislink ppn gisalternateparcelnumber taxacct mappingid tlno
  taxidnum gisaccount pan gisprodtableltdparcelid msparcelid prodno assessnum prntasmtnum parcelspn assessorsi ppi link a1renum lotid
  re refnum pindelim parcelkey pppin hparcel skey realkey proppin parcelspin angle taxnumber parcelful parceluid completeparcelnumber
  pmparnum rpnum textstring newpin pindash altpin twelvedigitpin pinformatted devnetparcelnumber indexnumber dbogisdataparcelnumber
  assessorpin parceltag pvanum pnjoin geogno gdogid assmtnum picode reid anacct asstaccountno taxaccno fullacctno feature acct tparcel
  piddash pnum pnumber packedparcelnumber hubbgisgisparcelspin parentpin formattedpin pparcelid acadtext fldparcelno cadastral mnx
  taxlotkey mapnum taxlottempmaptaxlot maptaxlo parceljoin longpin mapjoin mbp prsntpid camapin tripptoddparcelid pbanum mappin
  rpcmstr mapno smapnum map prn pargpin sdechelanpropertypolygonspa parcelafn countytaxid parcelatt assessor parcelidnr parceln
  geographic assessorn planid prpid pinlink taxkey mapid txparid wvgovpid statepidn legalname parcelname altparno altparcelid locid
`);

/** Row numbers of the software that made the file: used only where the values are clearly no count of rows. */
export const rowNumberNames = words(`
  objectid fid id pkparcels lluuid parceloid rootid
`);

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}

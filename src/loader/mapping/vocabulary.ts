import type { MappableField } from './fields.js';

type Vocabulary = Record<Exclude<MappableField, 'apn'>, string>;

/**
 * Column names of the vocabularies that county data comes in, plain (see `plainName`), the most certain first: Regrid, NC OneMap,
 * Wisconsin's statewide schema, Esri's local government model, Florida's, Massachusetts', Minnesota's, Montana's, New Jersey's,
 * New York's, Texas' and Utah's statewide layers, and what counties call things by themselves.
 */
const vocabulary: Vocabulary = {
  owner_name: `owner ownername ownername1 owner1 ownernme1 ownname ownname1 ownernm ownernm1 ownernam1 ownernam primaryowner taxpayername
    taxname owner1name ownerfullname ownerdisplay deedholder grantee curowner currentowner ownerlabel ownernameone nameowner own1 name1
    taxpayer ownersname propertyowner ownerofrecord trueowner1`,
  owner_name_2: `owner2 ownername2 ownernme2 ownname2 ownernm2 ownernam2 addowner ownermore owner2name secondowner coowner ownernametwo own2
    name2 coownername jointowner ownercare2 trueowner2`,
  mail_address: `mailadd mailaddr mailaddress mailingaddress mailingadd mailaddr1 mailadd1 mailaddress1 mailline1 pstladress pstladdress
    pstlad ownaddr1 ownaddr ownaddress owneraddress owneraddress1 owneraddr owneraddr1 owneradd ownadd1 ownaddl1 owneradr taxaddl1
    taxpayeraddress mailstreet mailstreetaddress ownerstreet mailaddressline1 addr1 mladdr1 mailingaddress1 mailingaddr owadr1 owneradd1
    mailingstreet billingaddress
    addrgl1 truemailingaddr1 owneraddressline1`,
  mail_city: `mailcity mailingcity pstlcity owncity ownercity mcity taxpayercity mailaddresscity ownaddcity owcity owcty mlcity billingcity
    citygl truemailingcity`,
  mail_state: `mailstate mailstate2 mailingstate pstlstate ownstate ownerstate mstate mailstat taxpayerstate ownst owstate mailst mlstate
    billingstate
    stgl truemailingstate`,
  mail_zip: `mailzip mailzip5 mailingzip mailzipcode mailingzipcode pstlzip5 pstlzip ownzip ownzipcd ownzipcode ownerzip ownerzipcode mzip
    taxpayerzip owzip mlzip mailpostalcode billingzip
    zipgl truemailingzipcode`,
  situs_address: `situsaddress situsaddr situsadd situsfull siteadd siteadress siteaddress siteaddr situs situsfulladdress address
    propertyaddress propaddress propaddr propertyaddr propadd physaddress physicaladdress physaddr phyaddr1 phyaddr parceladdress
    parceladdr parceladd proploc propertylocation proplocation location locationaddress locaddress locaddr fulladdress fulladdr
    situsaddressline1 addressline1 streetaddress staddress sitelocation fulladd siteaddr1 paddress
    addrfull e911addr locaprop adrlabel truesiteaddr premiseadd propertyfulladdress`,
  situs_city: `situscity sitecity siteaddcity scity propertycity propcity phycity physcity parcelcity city ctuname placename
    situscityname municipality muniname munname cityname loccity locationcity postalcity postcity town community
    ctyname uspscity citytownname postcomm adrcity truesitecity munidesc`,
  situs_zip: `situszip szip szip5 situszip5 situszipcode sitezip sitezipcode propertyzip propzip phyzipcd physzip zipcode zip zip5 loczip
    postcode postalcode locationzip zipcd
    adrzip5 truesitezipcode`,
  use_code: `usecode usecd usecode1 parusecode propclass propertyclass propclasscode propertyclasscode classcode classcd dorusecode dorucode doruc
    landusecode landusecd lucode lucd landuse luc luse pclass usecodes useclass1 statelanduse statlandu statland proptype propertytype
    propertyusecode propusecode usetype puc class countylandusecode lu taxclass lucodecurrent dorcodecur categorycode asrlandus`,
  use_description: `usedesc usecodedes usecodedesc usedscrp usedescription parusedesc usecodedescription propclassdesc propclassd
    propertyclassdescription landusedesc landusedescription ludesc usedescri propertyusedescription propertyuse classdesc classdescription
    classdscrp propusedesc usecddesc useclass usename dorusedesc landusename classdscr luname
    desclu dordesc categorycodedescription`,
  zoning: `zoning zoningcode zonecode zone zoningcd zonecd zoningclass zoneclass zonetype zoningtype zoningdescription zoningdesc currentzoning
    zoning1 zone1 zonedist zoningdistrict zonedist1 nucleuszone`,
  land_value: `landval landvalue lndvalue lndval landav totallandvalue totalappraisedlandvalue appraisedlandvalue appraisedland apprland
    assessedlandvalue assessedland assdland assessland landassessedvalue landassessed landappraised landmktvalue landmarketvalue mktland
    marketland emvland landmkt landvaluecurrent curlandval fullcashland valuesland valueland landtotal fmvland assdvalland landapprval
    landassess avland lndappr totland
    rolllandvalue apprlndval lndvaluebase landlv nfmlndvl curlndvl asrland fairmarketland landmv1 countyland`,
  improvement_value: `improvval impvalue impval improvementvalue imprval imprvalue imprvtval totalappraisedimprovements totalbuildingvalue
    bldgval bldgvalue buildingvalue improvement improvements improvementsvalue appraisedimprovements assessedimprovements
    assessedimprovementvalue assessedimprovement assdimpr emvbldg mktimprv mktbldg imprmkt imprassessed improvementassessedvalue
    buildingappraised appraisedbuilding apprbldg bldgassd bldgav structureval curimpval valuesimprovement valueimprovement fmvbldg
    improvvalu bldgapprvalue totalimprovementvalue totimp
    rollimpvalue apprimpr bldvaluebase imprvlv nfmimpvl curimpvl assessedbuilding asrimpr fairmarketbuilding bldgmv1 countybuilding`,
  total_value: `parval totalvalue totalval totval totalappraisedparcelvalue totalappraisedvalue appraisedvalue totalappraised apprval
    totalassessedvalue assessedvalue totalassessed assessedval cntassdvalue cntassdval estfmkvalue totalav totalmktvalue totalmarketvalue
    marketvalue mktvalue mktval fullmarketval emvtotal jv justvalue justval netvalue totassd totalassd avtotal assdvalue assdval fmv
    fairmarketvalue totalmkt totalassmt assessedva grossassd fcv fullcashvalue fullcash presentval curtotalval valuestotal apprvalue
    totalassess totappr taxablevalue avsd
    totvaluebase realflv nfmttlvl curttlvl assessedtotal appraisedtotal asrtotal fairmarkettotal mktvaltot assessment countytotal assesstot totalvalueassd assessedvalcur`,
  tax_year: `taxyear taxyr taxrollyear assessmentyear assessyear asmntyr asmtyear assyear rollyear valuationyear valyear fiscalyear fy
    rollyr glyear certifiedyear taxrollyr reappraisalyear`,
  tax_amount: `taxamt taxamount totaltax nettax netprpta tottax taxes totaltaxes annualtax propertytax currenttax taxtotal taxdue
    totaltaxamount taxamountdue taxbill grsprpta grosstax ntaxamt
    lastyrtx`,
  sale_price: `saleprice saleprc1 salesprice saleamount saleamt salesamt lastsaleprice lsprice salevalue saleprc saleprice1 lastsaleamount
    considerat consideration salesamount sale1price pricesale mostrecentsaleprice salevalu price
    considr1 totsalprice price1`,
  sale_date: `saledate salesdate lastsaledate lsdate saledatetx saledate1 sale1date deeddate dateofsale transferdate lastsaledt saledt
    salesdt recordingdate recorddate mostrecentsaledate datesold recordeddate deeddt saledateti salesdateti instdate
    tradate dos1`,
  year_built: `yearbuilt yrbuilt yrblt builtyr builtyear actyrblt effyrblt resyrblt structyear aybyrbuilt ayb yearblt yrconstr constryear
    actualyearbuilt bltyear yrbilt yearconstructed residentialyearbuilt resyrbuilt yrbuild bldgyrblt yearcons
    yearbuilt1 buildyr`,
  acres: `acres deededacres deedacres deededacre deedacre recareano recordedacres assdacres acresdeed taxacres acreage totalacres totalacreage
    calcacres calcacre legalacres legalacre legalarea lglarea parcelacres parcelacre landacres lotacres lotacre acre acrestotal gisacres
    gisacre acrespoly statedarea calculatedacres assessedacres totacres parcelacreage lacres taxacre
    sqft lotsqft lotsizesqft landsqft lndsqfoot parcelsqft lotareasqft landareasqft lotsqfeet areasqft sqfeet landsquarefeet lotsquarefeet
    lotsize landarea lotarea landsize
    acresgl`,
  legal_description: `legaldesc legaldescription legdecfull legaldes legal legaldesc1 legaldescriptionshort slegal prprtydscrp legalfull legaldescr
    fulllegal legal1 longlegal briefdesc briefpropertydescription propertydescription propdesc legaldescfull legdesc legald descofprop
    shortlegal parceldescription legaldescription1 legalline1
    descprop parcellgl`,
  latitude: `latitude lat intptlat ycoordinate latdd ycoord pointy centroidy centroidlat parcellat latitudey laty y latdecimal gislat sitelat
    geolat ylat ywgs84 latwgs84 xycoordy
    centerlat centroidlatitude`,
  longitude: `longitude lon long lng intptlon intptlong xcoordinate londd longdd xcoord pointx centroidx centroidlon centroidlong parcellon
    longitudex lonx longx x londecimal gislon gislong sitelon geolon geolong xlon xwgs84 lonwgs84 xycoordx
    centerlon centroidlongitude`,
  geometry: `wkt thegeom geom geometry shape wkbgeometry geomwkt wktgeom wktgeometry polygon shapewkt geojson wkb multipolygon polygonwkt boundary`,
};

/** The names of each field other than the parcel number, the most certain first. */
export const fieldNames = new Map(Object.entries(vocabulary).map(([field, names]) => [field as MappableField, names.trim().split(/\s+/)]));

/**
 * Names that mean something else in one vocabulary than everywhere else, by a column that it alone has: New Jersey's tax list
 * has the owner's address in `ST_ADDRESS` and `ZIP_CODE`.
 */
export const dialects: { mark: string; names: Partial<Record<MappableField, string>> }[] = [
  { mark: 'pamspin', names: { mail_address: 'staddress', mail_city: 'citystate', mail_zip: 'zipcode' } },
];

/** Names that say square feet by themselves; those of `ambiguousAreaNames` only by how large their values are. */
export const squareFeetName = /sqf|sqft|sqfoot|squarefeet|sqfeet/;
export const ambiguousAreaNames = new Set(['lotsize', 'landarea', 'lotarea', 'landsize', 'legalarea', 'lglarea', 'statedarea']);

/** Street addresses in pieces, in the order in which they are written. Joined only when no column holds the whole. */
export const situsPieces = [
  'saddno anumber addnumber adrnum streetnum streetnumber streetno housenum housenumber houseno hseno housenbr addnum addrnum addressnumber situsnum situsnumber stnum stno strnum strno locnum housenmbr situsaddnumber addno situshouse situsaddr propertyhousenum',
  'saddpref streetdir streetpre predir direction stpredir prefixdir streetdirection predirectional situsdir stdir streetprefix saddrpref situspredi',
  'saddstr streetname street streetnam strname stname situsstreet situsstreetname situsaddname roadname locstreet streetnm pstrnam situsstre propertyaddress',
  'saddsttyp streettype streetsufx streetsuf streetsuff streetsuffix sttype stsuffix streettyp strtype strsuffix suffix situssuffix stsuf stpostyp pstrtype situssuff',
  'saddstsuf sufdir postdir streetpostdir suffixdir stsufdir stposdir psufdir',
  'sunit unit unitno unitnum unitnumber unitid apt aptno situsunit apartment',
].map((names) => names.split(' '));

/** Columns that name the county a row belongs to. */
export const countyCodeNames = ['countyfips', 'cntyfips', 'stcntyfips', 'fips', 'fipscode', 'parcelfips', 'geoid', 'stcofips', 'fips5'];

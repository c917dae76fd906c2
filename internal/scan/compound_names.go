package scan

import "strings"

// compoundNames are artists whose names look like lists of artists, in lower case.
var compoundNames = strings.Split(""+
	"+/-|10,000 maniacs|24/7 spyz|50/50|above & beyond|ac/dc|alexis & fido|aly & aj|aly & fila|angus & julia stone|"+
	"archie bell & the drells|ashford & simpson|axwell & ingrosso|axwell /\\ ingrosso|belle & sebastian|big & rich|"+
	"bill haley & his comets|blank & jones|blood, sweat & tears|bob marley & the wailers|"+
	"bob seger & the silver bullet band|booker t. & the m.g.'s|brooks & dunn|bruce hornsby & the range|"+
	"bruce springsteen & the e street band|buddy & julie miller|captain & tennille|chad & jeremy|chase & status|"+
	"chitãozinho & xororó|crosby, stills & nash|crosby, stills, nash & young|dan & shay|daryl hall & john oates|"+
	"derek & the dominos|diana ross & the supremes|dimitri vegas & like mike|dion & the belmonts|"+
	"dj jazzy jeff & the fresh prince|dr. hook & the medicine show|earth, wind & fire|earth, wind and fire|"+
	"echo & the bunnymen|edward sharpe & the magnetic zeros|elvis costello & the attractions|"+
	"emerson, lake & palmer|england dan & john ford coley|eric b. & rakim|flanagan & allen|flanders & swann|"+
	"frankie valli & the four seasons|gabriel & dresden|gary puckett & the union gap|"+
	"george thorogood & the destroyers|gerry & the pacemakers|gilbert & sullivan|gillian welch & david rawlings|"+
	"gladys knight & the pips|grace potter & the nocturnals|hall & oates|hans zimmer & lorne balfe|"+
	"harold melvin & the blue notes|herb alpert & the tijuana brass|hercules & love affair|hootie & the blowfish|"+
	"huey lewis & the news|ike & tina turner|iron & wine|jan & dean|jason isbell & the 400 unit|"+
	"joan jett & the blackhearts|jorge & mateus|jowell & randy|kate & anna mcgarrigle|katrina & the waves|"+
	"kc & the sunshine band|king gizzard & the lizard wizard|kool & the gang|kruder & dorfmeister|"+
	"layo & bushwacka!|lerner & loewe|loggins & messina|m/a/r/r/s|macklemore & ryan lewis|marina & the diamonds|"+
	"martha & the vandellas|martha reeves & the vandellas|matt & kim|mel & kim|mumford & sons|n/a|"+
	"nathaniel rateliff & the night sweats|neil young & crazy horse|nick & simon|nick cave & the bad seeds|"+
	"nico & vinz|nina & frederik|now, now|of monsters & men|paul revere & the raiders|peaches & herb|penn & teller|"+
	"pepsi & shirlie|pete rock & cl smooth|peter & gordon|peter, paul & mary|peter, paul and mary|peters & lee|"+
	"prince & the new power generation|prince & the revolution|richard & linda thompson|"+
	"robert plant & alison krauss|rodgers & hammerstein|rodgers & hart|ryan adams & the cardinals|sam & dave|"+
	"sasha & john digweed|seals & crofts|she & him|simon & garfunkel|siouxsie & the banshees|"+
	"sly & the family stone|smokey robinson & the miracles|sonny & cher|tegan & sara|the good, the bad & the queen|"+
	"the good, the bad and the queen|the mamas & the papas|tom petty & the heartbreakers|"+
	"tommy james & the shondells|tyler, the creator|up, bustle & out|w&w|wayne fontana & the mindbenders|"+
	"wet, wet, wet|wisin & yandel|womack & womack|years & years|zager & evans|zezé di camargo & luciano|"+
	"zion & lennox", "|")
